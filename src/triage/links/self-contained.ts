/**
 * Changes that stand alone: an append to a journal-like file, an update of a record-like one. And of the others, which of
 * them may rest on how weak a word. Pure.
 */

import { manifestKindOf, nameOfPath } from "../facts/manifests/manifest-kinds.ts";
import type { GroupMember } from "../facts/member.ts";
import { languageOf, natureOf } from "../facts/paths/languages.ts";
import type { PathClasses } from "../facts/paths/path-classes.ts";

/** JSON is whole when it parses; its last line needs no end. */
const isWholeAtEnd = ({ after }: GroupMember): boolean =>
  after !== null &&
  after.size > 0 &&
  !after.hasNulPadding &&
  (after.isLastLineWhole || isClosedFormat(after.language) || after.workflow?.kind === "state");

const isClosedFormat = (language: string): boolean => language === "json" || language === "jsonc";

const isPlainFile = ({ change, after }: GroupMember): boolean =>
  (change.kind === "added" || change.kind === "modified") &&
  change.to?.kind === "file" &&
  after !== null &&
  !after.isBinary;

/** A new history of releases was not appended to anything; those grow at their top. */
const GROWN_AT_TOP = /^(?:CHANGELOG|CHANGES|HISTORY)/i;

/** Only lines added at the end, the last one whole, in a journal-like place. A new file is all append. */
export function isAppend(member: GroupMember, classes: PathClasses): boolean {
  return (
    isPlainFile(member) &&
    classes.isJournal(member.path) &&
    member.delta?.isAppend === true &&
    !(member.before === null && GROWN_AT_TOP.test(nameOfPath(member.path))) &&
    isWholeAtEnd(member) &&
    member.after?.parse.kind !== "broken"
  );
}

/** A record-like place, or a workflow's record by its schema, that still parses, not shrunk by half, its last line whole. */
export function isUpdate(member: GroupMember, classes: PathClasses): boolean {
  const { before, after } = member;
  return (
    isPlainFile(member) &&
    (classes.isRecord(member.path) || after?.workflow != null) &&
    after?.parse.kind !== "broken" &&
    isWholeAtEnd(member) &&
    // A companion is kept within its tokens: long lists give way.
    ((after?.size ?? 0) * 2 >= (before?.size ?? 0) || after?.workflow?.kind === "companion")
  );
}

/** Members that somebody must have said are done before they can be sound. */
export const needsWord = (view: {
  readonly members: readonly GroupMember[];
  readonly classes: PathClasses;
}): GroupMember[] =>
  view.members.filter((member) => !isAppend(member, view.classes) && !isUpdate(member, view.classes));

/**
 * Code and configuration: half of it runs, or decides what runs, so an exit code is no word for it (L7, S3). Whether a file of
 * data is somebody's configuration its name does not tell (`config/prod.yaml`, `settings.json`): all of it counts as such.
 */
export function needsWordOfItsOwn({ path }: GroupMember, { isConfig }: PathClasses): boolean {
  return natureOf(languageOf(path)) !== "prose" || manifestKindOf(path) !== null || isConfig(path);
}
