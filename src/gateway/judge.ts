/** One interruption judged: the pure decisions with what only the application can say (is the asker still welcome?). */

import { ensureError } from "../model/errors.ts";
import { renewedAs } from "../session/describe.ts";
import type { SessionRow } from "../store/contract/driver.ts";
import { suspendedFor } from "../store/contract/session-facts.ts";
import { decideLoop, type LoopDecision } from "./decide-loop.ts";
import { decideResume, isFinal, type LeaveReason, type TurnResumeDecision } from "./decide-resume.ts";
import type { Host } from "./host.ts";
import { interruptedInput, type TurnInterruption } from "./interruption.ts";

/** How the gateway says in the journal that a drain's end cut a turn off. */
export const CUT_BY_DRAIN = "timeout";

export interface JudgedConversation {
  readonly decision: TurnResumeDecision;
  readonly loop: LoopDecision;
}

export async function judge(
  host: Host,
  row: SessionRow,
  interruption: TurnInterruption,
): Promise<JudgedConversation> {
  const nowMs = host.store.clock.nowMs();
  const loop = loopOf(host, interruption);
  const facts = {
    // Begun anew it goes on elsewhere: a lift in the old session ends no more than the word there.
    isSuspended: suspendedFor(row) !== null || renewedAs(row) !== null,
    isAskedToStop: interruption.isAskedToStop,
    left: interruption.left?.why ?? null,
    dirtyEnds: interruption.dirtyEnds,
    isShared: host.sharedEnds.has(interruption.turn),
    isCutByDrain: interruption.cause === CUT_BY_DRAIN,
    loop,
    discoveredAtMs: interruption.discoveredAtMs ?? nowMs,
    // The claim's heartbeat is the last sign of a long turn, unless taking the claim has already renewed it.
    lastSignMs: Math.max(
      interruption.lastSignMs ?? 0,
      interruption.isOpen ? (row.claim.heartbeatAtMs ?? 0) : 0,
    ),
  };
  const first = decideResume({ ...facts, isAuthorised: true }, nowMs, host.policy);
  if (first.kind === "leave" && !mayBeUnwelcome(first.why, interruption)) return { decision: first, loop };
  const isAuthorised = await askAuthorised(host, row, interruption);
  return { decision: decideResume({ ...facts, isAuthorised }, nowMs, host.policy), loop };
}

/** What the guard says of it; asked again by whoever waits for it to let go. */
export const loopOf = ({ store, policy }: Host, { resumedAtMs, left }: TurnInterruption): LoopDecision =>
  decideLoop(
    { resumedAtMs, heldAtMs: left?.why === "restart-loop" ? left.atMs : null },
    store.clock.nowMs(),
    policy,
  );

/** Not being welcome any more comes before these two; what was closed before is not asked again. */
const mayBeUnwelcome = (why: LeaveReason, { left }: TurnInterruption): boolean =>
  (why === "restart-loop" || why === "stale") && !(left && isFinal(left.why));

async function askAuthorised(host: Host, row: SessionRow, interruption: TurnInterruption): Promise<boolean> {
  const { authorise } = host.options;
  if (!authorise) return true;
  const input = await interruptedInput(host.store, row.id, interruption);
  try {
    return await authorise({
      session: row.id,
      from: input?.from ?? null,
      route: input?.route ?? null,
      input: input?.id ?? null,
      turn: interruption.turn,
    });
  } catch (thrown) {
    host.trouble(row.id, ensureError(thrown)); // fail closed: who cannot be checked is not resumed
    return false;
  }
}
