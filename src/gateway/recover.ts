/**
 * What a start does before it lets anybody in: look at every conversation, ask the loop guard, judge what was
 * interrupted. What is left alone is settled here. What goes on is claimed and settled by its own conversation as
 * the first thing it does, before any turn in it (K1), so that hundreds of them do not keep the gate closed.
 */
import { openThings } from "../conversation/begin.ts";
import { findDirtyEnd } from "../conversation/dirty-end.ts";
import { settle } from "../conversation/settle.ts";
import type { SessionId } from "../model/ids.ts";
import { selfOwner } from "../platform/identity.ts";
import { giveBack, Held, takeClaim } from "../session/claims.ts";
import type { ResumeDecision } from "./decide-resume.ts";
import type { Host } from "./host.ts";
import { type Interruption, interruptedTurn, readInterruption } from "./interruption.ts";
import { judge, leaveRecords } from "./judge.ts";
import { hasOpenWork, type Surveyed } from "./survey.ts";

export type Planned =
  | { readonly kind: "held" }
  /** Nothing was interrupted; inputs or deliveries wait. */
  | { readonly kind: "waiting" }
  | ({ readonly turn: string } & ResumeDecision);

export interface PlannedConversation {
  readonly session: SessionId;
  readonly planned: Planned;
  /** Something is to be done in it now. */
  readonly hasWork: boolean;
}

/** Null: held by a live owner, or nothing interrupted. */
export async function interruptionsOf(
  host: Host,
  surveyed: readonly Surveyed[],
): Promise<(Interruption | null)[]> {
  return Promise.all(surveyed.map(({ row, isHeld }) => (isHeld ? null : readInterruption(host.store, row))));
}

export async function planConversation(
  host: Host,
  surveyed: Surveyed,
  interruption: Interruption | null,
): Promise<PlannedConversation> {
  const { row, isHeld } = surveyed;
  const session = row.id;
  const waits = (): Promise<boolean> => hasOpenWork(host.store, session);
  if (isHeld) return { session, planned: { kind: "held" }, hasWork: await waits() };
  if (!interruption) return { session, planned: { kind: "waiting" }, hasWork: true };
  const decision = await judge(host, row, interruption);
  const planned = { turn: interruption.turn, ...decision };
  if (decision.kind === "resume") return { session, planned, hasWork: true };
  const isOnRecord = interruption.isLeft && !interruption.isOpen;
  const isOurs = isOnRecord || (await settleLeft(host, surveyed, interruption, decision));
  if (!isOurs) return { session, planned: { kind: "held" }, hasWork: await waits() };
  return { session, planned, hasWork: await waits() };
}

/** Nobody serves it and something is to be done. A turn that was left stays left; a suspended conversation waits for a person. */
export async function isNeglected({ store }: Host, { row, isHeld }: Surveyed): Promise<boolean> {
  if (isHeld || typeof row.facts.suspended === "string") return false;
  const interruption = await readInterruption(store, row);
  const isDecided = interruption === null || (interruption.isLeft && !interruption.isOpen);
  return !isDecided || hasOpenWork(store, row.id);
}

/** Settled, decided and given back. False: another process was faster, and it is theirs. */
async function settleLeft(
  host: Host,
  { row }: Surveyed,
  interruption: Interruption,
  decision: Extract<ResumeDecision, { kind: "leave" }>,
): Promise<boolean> {
  const { store, options } = host;
  const owner = selfOwner(options.agent);
  try {
    const { attempt } = await takeClaim(store, {
      session: row.id,
      owner,
      records: async (seen) => {
        // Another process may have gone on with it since it was judged: then there is nothing to leave.
        if (!seen.row || interruptedTurn(seen.row)?.turn !== interruption.turn) return [];
        const things = await openThings(store, row.id, seen);
        const end = await findDirtyEnd(store, seen.row, things, seen.decision.cause);
        const { records } = settle(store.clock, things, end);
        return [...records, ...leaveRecords(host, interruption, decision)];
      },
    });
    const failed = await giveBack(store, { session: row.id, attempt, owner });
    if (failed) host.trouble(row.id, failed);
    return true;
  } catch (thrown) {
    if (thrown instanceof Held) return false;
    throw thrown;
  }
}
