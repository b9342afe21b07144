/**
 * Who saw the end of a file. First those who were there when it was written: an operation whose author said that it is done
 * and waited for the capture, or a call that recorded all it wrote; a file that was cut in its writing has neither.
 *
 * Then what the file beside it says about the end of a source: where a source and its types give the same, nothing that is
 * given is missing below, as two files are not cut at the same place; and what is not given but needed would be a name
 * that nothing defines (loose-names). That all a file gives is wanted by others shows nothing: what is wanted by nobody
 * yet may be missing below. Pure.
 */

import type { FileFacts, SourceFacts } from "../../facts/known/file-facts.ts";
import type { OperationFact } from "../../facts/known/triage-facts.ts";
import type { GroupMember } from "../../facts/member.ts";
import type { PathClasses } from "../../facts/paths/path-classes.ts";
import { belongsTo } from "../../links/operations.ts";
import { isSeenAtEnd } from "./closings.ts";
import { breakOf } from "./source-ends.ts";

const SCRIPT = /\.([mc]?)js$/;
const TYPES = /\.d\.([mc]?)ts$/;
/** The last statement gives something itself; below one that only does something, more may be done. */
const GIVES = /^(?:export \w+|set (?:module\.)?exports\.) ?([\w$]+)$/;

/** Seen, and still the same bytes: by an operation that has it, not by one that was about something else. */
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

export function isEndWitnessed(
  { path, before, after }: GroupMember,
  members: readonly GroupMember[],
): boolean {
  const is = after?.source;
  if (!is || !isReadable(after, is) || breakOf(path, before?.source ?? null, is) !== null) return false;
  return isAsSource(path, is, members) || isAsTypes(path, is, members);
}

const isReadable = (after: FileFacts, is: SourceFacts): boolean =>
  after.language !== "python" &&
  after.isLastLineWhole &&
  !after.hasBlankEnd &&
  !is.hasEndComment &&
  !is.isEndLoose &&
  is.areExportsKnown &&
  is.stars.length === 0 &&
  is.exports.length > 0;

/** Types that give everything which the source beside them gives and names a type of. */
function isAsSource(path: string, is: SourceFacts, members: readonly GroupMember[]): boolean {
  if (!TYPES.test(path)) return false;
  const source = sourceOf(members, path.replace(TYPES, ".$1js"));
  if (!source?.isModule) return false;
  // Written by hand, types may go on where the source says nothing of them: another way to call the same function.
  if (source.typedefs === null) return false;
  const there = new Set([...is.exports, ...is.references.flatMap(({ names }) => names)]);
  return (
    namesOf(source).every((name) => is.exports.includes(name)) &&
    source.typedefs.every((name) => there.has(name))
  );
}

/** A source that gives exactly what the types beside it say, and ends by giving or with a function that it needs. */
function isAsTypes(path: string, is: SourceFacts, members: readonly GroupMember[]): boolean {
  if (!SCRIPT.test(path)) return false;
  const types = sourceOf(members, path.replace(SCRIPT, ".d.$1ts"));
  if (types === null) return false;
  const kinds = new Map(
    types.statements.flatMap((one) => {
      const [, kind, name] = /^export (\w+) ([\w$]+)$/.exec(one) ?? [];
      return kind === undefined || name === undefined ? [] : [[name, kind] as const];
    }),
  );
  const values = types.exports.filter((name) => !/^TS(?:TypeAlias|Interface)/.test(kinds.get(name) ?? ""));
  const given = namesOf(is);
  return (
    (GIVES.test(is.lastStatement) || is.isEndUsed) &&
    values.length === given.length &&
    values.every((name) => given.includes(name))
  );
}

const namesOf = ({ exports }: SourceFacts): string[] => exports.filter((name) => name !== "__esModule");

/** What is known of another file of the group, where all it gives can be read off. */
function sourceOf(members: readonly GroupMember[], path: string): SourceFacts | null {
  const source = members.find((member) => member.path === path)?.after?.source ?? null;
  if (!source?.areExportsKnown || source.stars.length > 0) return null;
  return source.exports.length > 0 ? source : null;
}
