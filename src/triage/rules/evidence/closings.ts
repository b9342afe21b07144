/**
 * What closes a group: who said, after its last change, that it is done (T2, L7). The strongest word is an operation that
 * ended; then the agent's own end of its turn; the weakest an exit code, which says that a process ended and not that the
 * work did. A group is as well closed as its worst member. Pure.
 */
import type { OperationFact, TurnFact } from "../../facts/known/triage-facts.ts";
import type { GroupMember } from "../../facts/member.ts";
import type { PathClasses } from "../../facts/paths/path-classes.ts";
import { belongsTo, isWitness, lastWriteSeq } from "../../links/operations.ts";
import type { GroupView } from "./group-view.ts";

export interface Closing {
  readonly by: "operation" | "agent" | "exit";
  readonly message: string;
  readonly evidence: readonly string[];
}

/** Null: nobody said that it is done, or something of it changed since. */
export function closingOf(view: GroupView, members: readonly GroupMember[]): Closing | null {
  // Only the session's own word is about its own work.
  if (!members.every(({ fact }) => fact.owner.owner === "session")) return null;
  if (members.some(({ fact }) => fact.writes.length === 0)) return null;
  if (view.operations.some(({ state }) => state !== "ended")) return null;
  const [closed, rest] = [new Set<OperationFact>(), [] as GroupMember[]];
  for (const member of members) {
    const operation = view.operations.find((one) => isOver(member, one, view));
    if (operation) closed.add(operation);
    else rest.push(member);
  }
  const ended = [...closed].map(({ label }) => `operation ${label}: ended`);
  if (rest.length === 0)
    return { by: "operation", message: "Its operation ended after the last change", evidence: ended };
  const turns = turnsOf(view, rest);
  if (!turns) return null;
  const by = turns.some(({ endedBy }) => endedBy !== "agent") ? "exit" : "agent";
  const message = "Its turn completed after the last change";
  return { by, message, evidence: [...ended, ...turns.map(({ id }) => `turn ${id}: completed`)] };
}

/** The operation has the change, and ended when it was as it is now: by its own capture, or because nothing came later. */
function isOver(member: GroupMember, operation: OperationFact, view: GroupView): boolean {
  if (!isWitness(operation) || !belongsTo(member, operation, view.classes)) return false;
  if (isSeenAtEnd(member, operation)) return true;
  const last = lastWriteSeq(member.fact, view.calls);
  return last !== null && operation.endedSeq !== null && operation.endedSeq >= last;
}

/** Its author said that it is done and waited for a capture, and that has these very bytes. */
export const isSeenAtEnd = ({ fact }: GroupMember, { id, state }: OperationFact): boolean =>
  state === "ended" && (fact.seenAtEnds?.includes(id) ?? false);

/** Turns in which they may have been written, all of them completed and the last one after the last change; null: not so. */
function turnsOf({ facts, calls }: GroupView, members: readonly GroupMember[]): readonly TurnFact[] | null {
  // Of a session that was only heard of nobody saw how the file came about: only bytes that a finished call recorded are its own.
  if (facts.isOnlyHeard && !members.every(({ fact }) => fact.isAsWritten === true)) return null;
  const last = Math.max(...members.map(({ fact }) => lastWriteSeq(fact, calls) ?? 0));
  const first = Math.min(...members.flatMap(({ fact }) => fact.writes.map(({ fromSeq }) => fromSeq)));
  const turns = facts.turns.filter(
    ({ startedSeq, endedSeq }) => startedSeq <= last && (endedSeq ?? Number.POSITIVE_INFINITY) >= first,
  );
  // That the last words read like an end is nobody's word.
  const isDone =
    turns.length > 0 &&
    turns.every(({ outcome, endedBy }) => outcome === "completed" && endedBy !== "inferred");
  const end = turns.reduce((most, { endedSeq }) => Math.max(most, endedSeq ?? 0), 0);
  return isDone && end >= last ? turns : null;
}

/**
 * Somebody who was there when it was written saw its end, and it still has these bytes: a call that recorded all it wrote, or an
 * operation that has it, not one that was about something else. A file that was cut in its writing has neither.
 */
export const isEndSeen = (
  member: GroupMember,
  operations: readonly OperationFact[],
  classes: PathClasses,
): boolean => member.fact.isAsWritten === true || isSaidDone(member, operations, classes);

/** By the author of an operation that has it, with these very bytes: not only that the file is whole, but that the work is. */
export const isSaidDone = (
  member: GroupMember,
  operations: readonly OperationFact[],
  classes: PathClasses,
): boolean => operations.some((one) => isSeenAtEnd(member, one) && belongsTo(member, one, classes));
