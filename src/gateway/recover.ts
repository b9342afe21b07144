/**
 * What a start does before it lets anybody in: look at every conversation, ask the loop guard, judge what was
 * interrupted. What is left alone is closed here. What goes on is claimed and closed by its own conversation as
 * the first thing it does, before any turn in it (K1), so that hundreds of them do not keep the gate closed.
 */

import { closeLeftOpen } from "../conversation/close-left-open.ts";
import { findDirtyEnd } from "../conversation/dirty-end.ts";
import { openThings } from "../conversation/open-things.ts";
import type { SessionId } from "../model/ids.ts";
import { processKey } from "../model/owner.ts";
import { selfOwner } from "../platform/identity.ts";
import { giveBack, Held, takeClaim } from "../session/claims.ts";
import { renewedAs } from "../session/describe.ts";
import type { SessionRow } from "../store/contract/driver.ts";
import { suspendedFor } from "../store/contract/session-facts.ts";
import { type LoopDecision, NO_LOOP } from "./decide-loop.ts";
import { isFinal, type TurnResumeDecision } from "./decide-resume.ts";
import type { Host } from "./host.ts";
import { interruptedTurn, readInterruption, type TurnInterruption } from "./interruption.ts";
import { judge, loopOf } from "./judge.ts";
import { isLeftAlready, type LeaveDecision, leaveTurn } from "./leave-turn.ts";
import { hasOpenWork, type SurveyedConversation } from "./survey.ts";

export type PlannedRecovery =
  | { readonly kind: "held" }
  /** Nothing was interrupted; inputs or deliveries wait. */
  | { readonly kind: "waiting" }
  | ({ readonly turn: string; readonly loop: LoopDecision } & TurnResumeDecision);

export interface PlannedConversation {
  readonly session: SessionId;
  readonly planned: PlannedRecovery;
  /** Something is to be done in it now. */
  readonly hasWork: boolean;
}

/** Null: held by a live owner, or nothing interrupted. */
export async function interruptionsOf(
  host: Host,
  surveyed: readonly SurveyedConversation[],
): Promise<(TurnInterruption | null)[]> {
  const { store } = host;
  const leftOpen = surveyed.filter(({ row, isHeld }) => !isHeld && interruptedTurn(row)?.isOpen);
  const open = await store.openAmong(leftOpen.map(({ row }) => row.id));
  return Promise.all(
    surveyed.map(({ row, isHeld }) => (isHeld ? null : readInterruption(store, row, open.get(row.id) ?? []))),
  );
}

/** To be asked before anything is closed: from then on nobody sees what ran together. */
export function findSharedEnds(
  host: Host,
  surveyed: readonly SurveyedConversation[],
  interruptions: readonly (TurnInterruption | null)[],
): void {
  const cutOff = surveyed.flatMap(({ row: { claim } }, i) => {
    const found = interruptions[i];
    if (!claim.owner || !found?.isOpen) return [];
    const { turn, dirtyEnds, resumedAtMs } = found;
    return [{ turn, dirtyEnds, process: processKey(claim.owner), resumes: resumedAtMs.length }];
  });
  const atTheLimit = new Set(
    cutOff.filter(({ dirtyEnds }) => dirtyEnds >= host.policy.dirtyEnds).map(({ turn }) => turn),
  );
  for (const turn of sharedEnds(cutOff)) if (atTheLimit.has(turn)) host.sharedEnds.add(turn);
}

export async function planConversation(
  host: Host,
  surveyed: SurveyedConversation,
  interruption: TurnInterruption | null,
): Promise<PlannedConversation> {
  const { row, isHeld } = surveyed;
  const session = row.id;
  const waits = (): Promise<boolean> => hasOpenWork(host.store, session);
  if (isHeld) return { session, planned: { kind: "held" }, hasWork: await waits() };
  if (!interruption) return { session, planned: { kind: "waiting" }, hasWork: true };
  const { decision, loop } = await judge(host, row, interruption);
  const planned = { turn: interruption.turn, loop, ...decision };
  if (decision.kind === "resume") return { session, planned, hasWork: true };
  const isOnRecord = isLeftAlready(interruption, decision);
  const isOurs = isOnRecord || (await closeAndLeave(host, surveyed, interruption, decision));
  if (!isOurs) return { session, planned: { kind: "held" }, hasWork: await waits() };
  return { session, planned, hasWork: await waits() };
}

/** The longest chain among what is not decided for good; what the guard holds, and until when. */
export function longestLoop(conversations: readonly PlannedConversation[]): LoopDecision {
  return conversations
    .flatMap(({ planned }) => ("turn" in planned && isUndecided(planned) ? [planned.loop] : []))
    .reduce((longest, loop) => (loop.chain > longest.chain ? loop : longest), NO_LOOP);
}

const isUndecided = (planned: TurnResumeDecision): boolean =>
  planned.kind === "resume" || !isFinal(planned.why);

/**
 * Whether somebody must take it up: nobody serves it and something is to be done. A turn that was left stays left, unless a lift
 * came or the guard's time is over (`later`: it is not yet); a suspended conversation waits for a person.
 */
export async function isNeglected(
  host: Host,
  { row, isHeld }: SurveyedConversation,
): Promise<boolean | "later"> {
  const { store } = host;
  if (isHeld) return false;
  if (renewedAs(row) !== null) return hasOpenWork(store, row.id); // only what waits in it moves on
  if (suspendedFor(row) !== null) return false;
  const interruption = await readInterruption(store, row);
  if (interruption && (interruption.isOpen || interruption.left === null)) return true;
  const isHeldByGuard = interruption?.left?.why === "restart-loop";
  if (interruption && isHeldByGuard && !loopOf(host, interruption).isTripped) return true;
  if (await hasOpenWork(store, row.id)) return true;
  return isHeldByGuard ? "later" : false;
}

/** Settled, decided, told and given back. False: another process was faster, and it is theirs. */
async function closeAndLeave(
  host: Host,
  { row }: SurveyedConversation,
  interruption: TurnInterruption,
  decision: LeaveDecision,
): Promise<boolean> {
  const { store, options } = host;
  const owner = selfOwner(options.agent);
  try {
    const { attempt, seen } = await takeClaim(store, {
      session: row.id,
      owner,
      records: async (seen) => {
        const things = await openThings(store, row.id, seen);
        const found = seen.decision.from && (await host.endOf(seen.decision.from));
        const end = await findDirtyEnd(store, seen.row, things, found?.cause ?? seen.decision.cause);
        return closeLeftOpen(store.clock, things, end, found ? { evidence: [...found.evidence] } : {})
          .records;
      },
    });
    // Another process may have gone on with it since it was judged: then there is nothing to leave.
    const isOurs = seen.row !== null && interruptedTurn(seen.row)?.turn === interruption.turn;
    try {
      if (isOurs) await writeLeft(host, row, attempt, interruption, decision);
    } finally {
      const failed = await giveBack(store, { session: row.id, attempt, owner });
      if (failed) host.trouble(row.id, failed);
    }
    return isOurs;
  } catch (thrown) {
    if (thrown instanceof Held) return false;
    throw thrown;
  }
}

async function writeLeft(
  host: Host,
  row: SessionRow,
  attempt: number,
  interruption: TurnInterruption,
  decision: LeaveDecision,
): Promise<void> {
  // How its owner ended is known only since the claim was taken.
  const settled = await readInterruption(host.store, (await host.store.session(row.id)) ?? row);
  const { judgedAt } = interruption; // the decision was made then
  const left = await leaveTurn(host, row, { ...(settled ?? interruption), judgedAt }, decision);
  await host.store.append(row.id, { attempt }, left.records);
  left.said();
}

/**
 * Whose fault an end may have been, where a process took several turns with it (L2). One that goes on alone is apart from all that
 * are suspected, not from those that nobody suspects yet: they must not wait for it. So the message that ends the process may be
 * a newcomer's: a conversation's first, cut off for the first time. Then the one with the longer record is not suspended for
 * that end, but held as the guard holds, without it in the process: if it was the newcomer, he is found out meanwhile. Only
 * once: in a gateway where many talk there is always a newcomer, and what really kills must be caught all the same. Pure.
 */
export interface CutOffTurn {
  readonly turn: string;
  /** The dead process in which it ran. */
  readonly process: string;
  /** Without progress, this one included. */
  readonly dirtyEnds: number;
  /** How often it was resumed and lost again since somebody asked. */
  readonly resumes: number;
}

/** Among what dead processes left open: the turns whose last end may have been a newcomer's doing. */
export function sharedEnds(cutOff: readonly CutOffTurn[]): string[] {
  const withNewcomers = new Set(cutOff.filter(isNewcomer).map(({ process }) => process));
  return cutOff
    .filter(({ dirtyEnds, process }) => dirtyEnds > 1 && withNewcomers.has(process))
    .map(({ turn }) => turn);
}

const isNewcomer = ({ dirtyEnds, resumes }: CutOffTurn): boolean => dirtyEnds <= 1 && resumes === 0;
