/**
 * Which operations a change belongs to (DESIGN 8): one that names paths has those and no others; one that names none
 * has everything that changed while it was open, but for appends to journal-like and updates of record-like paths. A
 * workflow's own records belong to none.
 */
import { globMatcher } from "../../text/glob.ts";
import { pathsOf } from "../../workspace/compare/states.ts";
import type { ChangeOwner } from "../../workspace/owning/own.ts";
import type { CallFact, ChangeFact, OperationFact, TriageFacts, Write } from "../facts/known/triage-facts.ts";
import type { GroupMember } from "../facts/member.ts";
import type { PathClasses } from "../facts/paths/path-classes.ts";
import { markedTexts, operationsOf } from "../facts/text/markers.ts";
import { isAppend, isUpdate } from "./self-contained.ts";
import { workflowOf } from "./workflow-records.ts";

/** Those of records and those of text, the session's journal-like files included. */
export function allOperations(
  facts: TriageFacts,
  members: readonly GroupMember[],
  classes: PathClasses,
): OperationFact[] {
  const inFiles = members.flatMap((member) => {
    const markers = member.delta?.markers ?? [];
    const isHeard = mayMark(facts, member.fact.owner) && classes.isJournal(member.path);
    const seq = member.fact.writes[0]?.fromSeq ?? 0;
    return isHeard && markers.length > 0 ? [{ channel: member.path, seq, markers }] : [];
  });
  const marked = operationsOf([...markedTexts(facts.said), ...inFiles]);
  return [...facts.operations, ...marked.filter((operation) => !isRecorded(operation, facts.operations))];
}

/**
 * Whose added lines may mark operations: the session's own. Where none was recorded, nobody's: they tell of what was going on and
 * close nothing, as no END in a file does (T2).
 */
export const mayMark = (
  { isImplied = false }: Pick<TriageFacts, "isImplied">,
  { owner }: ChangeOwner,
): boolean => owner === (isImplied ? "unknown" : "session");

/** A supervisor writes the markers on stdout down as they come: the same operation is not told of twice. */
export function isRecorded({ label, state }: OperationFact, recorded: readonly OperationFact[]): boolean {
  return recorded.some((one) => one.label === label && one.state === state && one.paths === null);
}

export function belongsTo(member: GroupMember, operation: OperationFact, classes: PathClasses): boolean {
  // What refloat wrote down about the work is no part of it, whatever an operation calls its own.
  if (workflowOf(member) !== null) return false;
  const isApart = operation.paths === null && (isAppend(member, classes) || isUpdate(member, classes));
  return !isApart && mayBelong(member.fact, operation);
}

/** The same without a look at what is only noted down meanwhile. */
export function mayBelong(fact: ChangeFact, operation: OperationFact): boolean {
  // Another session's, or so before this one began, or begun by somebody after it.
  const isForeign = fact.owner.owner !== "session" && fact.owner.owner !== "unknown";
  if (isForeign && !fact.isEditedSince) return false;
  if (operation.paths !== null) return pathsOf(fact.change).some(globMatcher(operation.paths));
  if (fact.writes.length === 0) return operation.state !== "ended";
  return fact.writes.some((write) => isDuring(write, operation));
}

/** Whether any of the writing may have been while the operation was open. */
export const isDuring = (
  write: Write,
  { beganSeq, endedSeq }: Pick<OperationFact, "beganSeq" | "endedSeq">,
): boolean => write.toSeq > beganSeq && write.fromSeq < (endedSeq ?? Number.POSITIVE_INFINITY);

/** Whether its end can say that something was whole by then: whoever ended it waited, or said so between two calls. */
export const isWitness = ({ isSeenInPassing = false }: OperationFact): boolean => !isSeenInPassing;

/** When the last writing was over: with the call that did it, or when it was seen. Null: nobody saw. */
export function lastWriteSeq({ writes }: ChangeFact, calls: ReadonlyMap<string, CallFact>): number | null {
  const last = writes.at(-1);
  if (!last) return null;
  const call = last.call === null ? undefined : calls.get(last.call);
  return Math.min(last.toSeq, call?.endedSeq ?? last.toSeq);
}
