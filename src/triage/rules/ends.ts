/**
 * A file cut off at a line that still parses looks like a file. What tells them apart is the end: an edit leaves the
 * end of a file alone, or the file ends in the way files end (a list of exports); a cut leaves whatever came last.
 */
import { count } from "../../text/counting.ts";
import type { FileFacts } from "../facts/known/file-facts.ts";
import { nameOfPath } from "../facts/manifests/manifest-kinds.ts";
import type { GroupMember } from "../facts/member.ts";
import { CHECKED_LANGUAGES, natureOf } from "../facts/paths/languages.ts";
import { isEndSeen } from "./evidence/closings.ts";
import { isEndLost, NEW_MIN_LINES, OPEN_END_MIN_LINES, ofSource, ofUnmet } from "./evidence/source-ends.ts";
import { aboutEach, naming, type Rule } from "./rule.ts";

/** A text has no statements to be told by, and is told sooner. */
const TEXT_MIN_LINES = 4;
/** Lines added below a short text, none of it lost and the last one whole: that is how notes are taken. */
const APPENDED_MIN_LINES = OPEN_END_MIN_LINES;
/** More of them is the beginning of a page, which may go on. */
const MAX_APPENDED_LINES = 3;

/** As many lines came at the end of a short text as went, and no more than these: an edit of the last lines. */
const MAX_EVEN_LINES = 2;
/** Data that does not close itself is written a key a line. */
const NEW_DATA_MIN_LINES = 2;

export const openEndRule = {
  slug: "open-end",
  weight: "note",
  remedy: "See whether it ends where it should.",
  voids: "word",
  isOfEnd: true,
  about: "The end of a file changed, or is new, and nothing saw or shows that it is the end.",
  detail: `Not where somebody saw the end: an operation whose capture has these very bytes, or a finished call that recorded them as the whole file, in what it was told to write or in what it says it left. Files of at least ${OPEN_END_MIN_LINES} lines, new ones of ${NEW_MIN_LINES}, new data of ${NEW_DATA_MIN_LINES}; types, histories and licences of any length. JSON closes itself. A source may end with the statement it ended with, with what it gives, or with a helper of what stands above; a text with the lines it had, and nothing in it left open or leading nowhere; Python with the lines it had.`,
  check: (view) =>
    aboutEach(
      view,
      (member) =>
        atItsEnd(
          member,
          isEndSeen(member, view.operations, view.classes) ? brokenIn(member) : evidenceOf(member),
        ),
      (count, first) => `The end of ${naming(count, first)} may be missing.`,
    ),
} as const satisfies Rule;

/** With the line it ends with: where somebody would look. */
function atItsEnd({ path, after }: GroupMember, evidence: string | null): string | null {
  const isPlain = evidence?.startsWith(`${path}: `) === true && (after?.lines ?? 0) > 0;
  return isPlain ? `${path}:${after?.lines}${evidence.slice(path.length)}` : evidence;
}

/** What the bytes say by themselves, whoever saw the end: something is wanted that is not there, or is not closed. */
function brokenIn(member: GroupMember): string | null {
  const { path, before, after, delta } = member;
  if (!after || after.isBinary || after.language === "json" || after.language === "jsonc") return null;
  if (CHECKED_LANGUAGES.has(after.language)) return after.source ? ofUnmet(member, after.source) : null;
  if (after.isEndInside && !before?.isEndInside) return `${path}: it ends inside of something`;
  return ofLinks(path, delta);
}

function evidenceOf(member: GroupMember): string | null {
  const { path, before, after, delta } = member;
  if (!after || after.isBinary || after.language === "json" || after.language === "jsonc") return null;
  // A workflow's record is whole by its schema, or it would not be one.
  if (after.workflow !== null) return null;
  if (CHECKED_LANGUAGES.has(after.language)) return ofSource(member, after);
  if (!before && !after.hasKnownEnd && !after.isLastLineWhole) return `${path}: its last line has no end`;
  if (after.hasBlankEnd && !before?.hasBlankEnd) return `${path}: it ends with an empty line`;
  if (after.isEndInside && !before?.isEndInside) return `${path}: it ends inside of something`;
  if (delta && before && !delta.isEndKept && isEndLost(delta))
    return `${path}: ${count(delta.atEnd.gone, "line")} went at its end, and ${delta.atEnd.added} came`;
  if (after.hasKnownEnd) return ofLinks(path, delta);
  if (!before) return ofNew(path, after, delta);
  const nature = natureOf(after.language);
  const most = Math.max(before.lines, after.lines);
  if (nature !== "prose" && nature !== "data")
    return most >= OPEN_END_MIN_LINES ? ofTail(path, before, after) : null;
  if (before.tail !== after.tail && isLeftOpen(after))
    return `${path}: its last line is not the end of anything`;
  const isAppended =
    delta?.isAppend === true &&
    delta.added <= MAX_APPENDED_LINES &&
    delta.dangling.length === 0 &&
    after.isLastLineWhole &&
    !isCutText(after);
  const least = isAppended ? APPENDED_MIN_LINES : TEXT_MIN_LINES;
  return isPage(path) || most >= least ? ofText(path, before, after, delta) : null;
}

/** Data that does not close itself could go on after any key; of prose a few lines are as likely all of it. */
function ofNew(path: string, after: FileFacts, delta: GroupMember["delta"]): string | null {
  if (after.tail === "" && after.size > 0) return `${path}: new, and there is nothing in it`;
  const linked = ofLinks(path, delta);
  if (linked !== null) return linked;
  if (isLeftOpen(after)) return `${path}: new, and its last line is not the end of anything`;
  if (
    natureOf(after.language) === "prose" &&
    after.lines < NEW_MIN_LINES &&
    (isPage(path) || isCutText(after) || isBrokenOff(after))
  )
    return `${path}: new, and its last line is not the end of anything`;
  const least = natureOf(after.language) === "data" ? NEW_DATA_MIN_LINES : NEW_MIN_LINES;
  return after.lines >= least ? `${path}: new, and it could go on` : null;
}

/** What links lead to is often defined below everything, also below the first entry of a history. */
const ofLinks = (path: string, delta: GroupMember["delta"]): string | null =>
  delta && delta.dangling.length > 0 ? `${path}: links to ${delta.dangling.join(", ")} lead nowhere` : null;

/** Pages that are never a few lines. */
const LONG_PAGES =
  /^(?:CHANGELOG|CHANGES|HISTORY|LICEN[CS]E|COPYING|AUTHORS|CONTRIBUTORS|NOTICE|SECURITY|CODE_OF_CONDUCT|CONTRIBUTING|UPGRADING)\b/i;

const isPage = (path: string): boolean => LONG_PAGES.test(nameOfPath(path));

/** A line so long is one of a paragraph that was wrapped, and has words. */
const WRAPPED_LINE = /^(?=.{60})(?:\S+\s+){5}/;
/** It stops in a sentence, and not with an address. */
const isBrokenOff = ({ tail }: FileFacts): boolean => {
  const last = tail.slice(tail.lastIndexOf("\n") + 1);
  return WRAPPED_LINE.test(last) && /[\p{L}\p{N},-]$/u.test(last) && !/:\/\/\S*$/.test(last);
};

/** Three lines the last of which ends no sentence. */
const isCutText = (after: FileFacts): boolean => after.lines === 3 && !/[.!?;)"'`]$/.test(after.tail);

/** A heading, a colon, a comma or a rule with nothing below it; a title alone may be all of a page. */
const isLeftOpen = ({ tail, lines }: FileFacts): boolean =>
  /(?:[:,]|^---|^##.*)$/.test(tail) || (lines > 1 && /(?:^|\n)(?:#.*|={3,}|-{3,})$/.test(tail));

function ofText(
  path: string,
  before: FileFacts,
  after: FileFacts,
  delta: GroupMember["delta"],
): string | null {
  if (!delta) return `${path}: it cannot be compared with what it was`;
  const linked = ofLinks(path, delta);
  if (linked !== null) return linked;
  // Nobody edits the first entry of a history or the last words of a licence.
  if (delta.isEndKept && !isPage(path)) return null;
  const { gone, added } = delta.atEnd;
  // Below a new last line of a long text more may be missing: only of a short one another end is an edit.
  const isShort = Math.max(before.lines, after.lines) < OPEN_END_MIN_LINES && !isPage(path);
  if (isShort && gone > 0 && gone === added && gone <= MAX_EVEN_LINES && after.isLastLineWhole) return null;
  if (gone + added > 0) return `${path}: ${count(gone, "line")} went and ${added} came at its end`;
  // A diff finds the last line of what is left somewhere in what was: the end says whether it is the same end.
  return ofTail(path, before, after);
}

/** Whether its last lines are still the ones it had. */
const ofTail = (path: string, before: FileFacts, after: FileFacts): string | null =>
  before.tail === after.tail ? null : `${path}: its last lines are not the ones it had`;
