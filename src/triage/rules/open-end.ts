/**
 * A file cut off at a line that still parses looks like a file. What tells them apart is the end: an edit leaves the
 * end of a file alone, or the file ends in the way files end (a list of exports); a cut leaves whatever came last.
 */
import type { FileFacts, SourceFacts } from "../file-facts.ts";
import { CHECKED_LANGUAGES, natureOf } from "../languages.ts";
import { nameOfPath } from "../manifests.ts";
import type { Member } from "../member.ts";
import { aboutEach, naming, type Rule } from "../rule.ts";

/** Of a shorter file any edit touches the end; a text has no statements to be told by, and is told sooner. */
export const OPEN_END_MIN_LINES = 10;
const TEXT_MIN_LINES = 4;
/** Lines added below a short text, none of it lost and the last one whole: that is how notes are taken. */
const APPENDED_MIN_LINES = OPEN_END_MIN_LINES;
/** More of them is the beginning of a page, which may go on. */
const MAX_APPENDED_LINES = 3;
/** As many lines came at the end as went, and no more than these: an edit of the last lines. */
const MAX_EVEN_LINES = 2;

/** A new file of fewer lines is as likely whole as not. */
const NEW_MIN_LINES = 4;
/** Data that does not close itself is written a key a line. */
const NEW_DATA_MIN_LINES = 2;
/** Lines lost at the end of a file of any kind, with fewer in their place. */
const LOST_LINES = 2;

export const openEndRule = {
  slug: "open-end",
  weight: "note",
  about: "The end of a file changed, or is new, and nothing shows that it is the end.",
  detail: `Files of at least ${OPEN_END_MIN_LINES} lines, new ones of ${NEW_MIN_LINES}, new data that does not close itself of ${NEW_DATA_MIN_LINES}. Source: the last statement is not the one it was, and no list of exports. Prose and data (but JSON, which closes itself): lines came or went at the end. Code that is not followed: its last lines are not the ones it had. A shorter source: its end changed and it gives less than before, or it ended with what it gives. A new source of any length that gives nothing to anybody, but tests, programs and single statements. Histories and licences of any length.`,
  check: (view) =>
    aboutEach(view, evidenceOf, (count, first) => `The end of ${naming(count, first)} may be missing.`),
} as const satisfies Rule;

function evidenceOf({ path, before, after, delta }: Member): string | null {
  if (!after || after.isBinary || after.language === "json" || after.language === "jsonc") return null;
  const isLong = Math.max(before?.lines ?? 0, after.lines) >= OPEN_END_MIN_LINES;
  if (!before && !after.isLastLineWhole) return `${path}: its last line has no end`;
  if (after.hasBlankEnd && !before?.hasBlankEnd) return `${path}: it ends with an empty line`;
  if (delta && before && delta.atEnd.gone - delta.atEnd.added >= LOST_LINES)
    return `${path}: ${delta.atEnd.gone} lines went at its end, and ${delta.atEnd.added} came`;
  const nature = natureOf(after.language);
  if (CHECKED_LANGUAGES.has(after.language)) {
    const isList = TYPES.test(path) && (after.source?.exports.length ?? 0) > 1;
    return ofSource(path, before, after, isLong || (!before && (isList || after.lines >= NEW_MIN_LINES)));
  }
  if (!before) return ofNew(path, after);
  if (nature !== "prose" && nature !== "data") return isLong ? ofTail(path, before, after) : null;
  const isAppended =
    delta?.isAppend === true &&
    delta.added <= MAX_APPENDED_LINES &&
    delta.dangling.length === 0 &&
    after.isLastLineWhole &&
    !isCutText(after);
  const isTold = Math.max(before.lines, after.lines) >= (isAppended ? APPENDED_MIN_LINES : TEXT_MIN_LINES);
  return isTold ? ofText(path, before, after, delta) : null;
}

/** Data that does not close itself could go on after any key; of prose a few lines are as likely all of it. */
function ofNew(path: string, after: FileFacts): string | null {
  const isPage = LONG_PAGES.test(nameOfPath(path));
  if (natureOf(after.language) === "prose" && after.lines < NEW_MIN_LINES && (isPage || isCutText(after)))
    return `${path}: new, and its last line is not the end of anything`;
  const least = natureOf(after.language) === "data" ? NEW_DATA_MIN_LINES : NEW_MIN_LINES;
  return after.lines >= least ? `${path}: new, and it could go on` : null;
}

/** Pages that are never a few lines. */
const LONG_PAGES =
  /^(?:CHANGELOG|CHANGES|HISTORY|LICEN[CS]E|COPYING|NOTICE|SECURITY|CODE_OF_CONDUCT|CONTRIBUTING|UPGRADING)\b/i;

/** A heading or a colon with nothing below it; three lines the last of which ends no sentence. */
const isCutText = ({ tail, lines }: FileFacts): boolean =>
  /:$/.test(tail) ||
  (lines > 1 && (/(?:^|\n)(?:#.*|={3,}|-{3,})$/.test(tail) || (lines === 3 && !/[.!?;)"'`]$/.test(tail))));

function ofText(path: string, before: FileFacts, after: FileFacts, delta: Member["delta"]): string | null {
  if (!delta) return null;
  if (delta.dangling.length > 0) return `${path}: links to ${delta.dangling.join(", ")} lead nowhere`;
  const { gone, added } = delta.atEnd;
  // Nobody edits the first entry of a history or the last words of a licence, and below a new last line of a long text
  // more may be missing: only of a short one another end is an edit.
  const isLong = Math.max(before.lines, after.lines) >= OPEN_END_MIN_LINES;
  const isEven = gone === added && gone <= (isLong || LONG_PAGES.test(nameOfPath(path)) ? 0 : MAX_EVEN_LINES);
  if (!isEven) return `${path}: ${gone} lines went and ${added} came at its end`;
  // A diff finds the last line of what is left somewhere in what was: the end says whether it is the same end.
  return gone === 0 ? ofTail(path, before, after) : null;
}

/** Whether its last lines are still the ones it had. */
const ofTail = (path: string, before: FileFacts, after: FileFacts): string | null =>
  before.tail === after.tail ? null : `${path}: its last lines are not the ones it had`;

function ofSource(path: string, before: FileFacts | null, after: FileFacts, isLong: boolean): string | null {
  const [was, is] = [before?.source, after.source];
  if (!is) return null;
  if (!was && is.lastStatement === "" && after.size > 0) return `${path}: new, and there is no code in it`;
  if (!was && is.isEndBare && is.exports.length === 0)
    return `${path}: new, and it gives nothing of what it declares`;
  if (!was && givesNothing(is) && TAKES.test(is.lastStatement))
    return `${path}: new, and it ends with what it takes`;
  const isShortRun = after.lines < NEW_MIN_LINES && (is.isEndMost || PRINTS.test(is.lastStatement));
  if (!was && givesNothing(is) && !isRun(path) && !isShortRun)
    return `${path}: new, and it gives nothing to anybody`;
  if (was && was.lastStatement !== "" && is.lastStatement === "")
    return `${path}: there is no code left in it`;
  if (was?.isEndClosed && was.lastStatement !== "" && !is.isEndClosed && !is.isEndMost)
    return `${path}: it ended with what it gives, and no longer does`;
  if (was?.isEndClosed && is.isEndBare) return `${path}: it ended with what it gives, and no longer does`;
  const lost = (was?.exports ?? []).filter((name) => !is.exports.includes(name));
  // One block around everything, then and now: an edit inside it.
  if (was?.isEndMost && is.isEndMost && kindOf(was) === kindOf(is) && lost.length === 0) return null;
  if (was && was.lastStatement === is.lastStatement)
    return lost.length > 0 && is.isEndClosed ? `${path}: it no longer gives ${lost.join(", ")}` : null;
  if (LIST.test(is.lastStatement) && !is.isEndClosed)
    return `${path}: it ends with ${is.lastStatement}, and what that gives is not there`;
  if (!isLong)
    return lost.length > 0 ? `${path}: its end changed, and it no longer gives ${lost.join(", ")}` : null;
  if (lost.length === 0 && isEnd(path, was?.lastStatement ?? "", is)) return null;
  const now = `now with ${is.lastStatement}`;
  return was
    ? `${path}: it ended with ${was.lastStatement}, and ${now}`
    : `${path}: it could go on after ${is.lastStatement}`;
}

/** Nothing, for all that can be read off: as when the list of exports is yet to come. */
const givesNothing = ({ exports, stars, areExportsKnown, lastStatement }: SourceFacts): boolean =>
  areExportsKnown && exports.length + stars.length === 0 && lastStatement !== "";

/** A few lines that end by printing are a program. */
const PRINTS = /^call console\.\w+ /;

const TAKES = /^(?:ImportDeclaration|call require) /;

/** Tests and programs are run, not taken: they give nothing when they are whole. */
const isRun = (path: string): boolean => RUN_BY_PLACE.test(path) || RUN_BY_NAME.test(nameOfPath(path));
const RUN_BY_PLACE = /(?:^|\/)(?:tests?|__tests__|specs?|examples?|benchmarks?|bench|scripts?|bin|stories)\//;
const RUN_BY_NAME =
  /^(?:main|cli|server|app|__main__|conftest|setup|test|bench|worker)\.|\.(?:test|spec|stories)\.\w+$|^test_|_test\.py$/;

const kindOf = ({ lastStatement }: SourceFacts): string => lastStatement.split(" ", 1)[0] ?? "";

/** The ways files end: a list of exports, what the file is named after, or functions that what is above needs. */
function isEnd(
  path: string,
  was: string,
  { isEndClosed, isEndMost, isEndBare, lastStatement, exports }: SourceFacts,
): boolean {
  // A file that was there and ended otherwise lost its end, however large the block that is left.
  if (isEndClosed || (isEndMost && !isEndBare && was === "" && !TYPES.test(path))) return true;
  const name = was !== "" ? undefined : /^export \w+ ([\w$]+)$/.exec(lastStatement)?.[1];
  if (name !== undefined && plain(name) === plain(nameOfPath(path).replace(/(?:\.d)?\.\w+$/, "")))
    return true;
  // Were one of them missing, what needs it would use a name that nothing defines (loose-names).
  return exports.length > 0 && was.startsWith(HELPER) && lastStatement.startsWith(HELPER);
}

/** Types are written a line each: after any of them more may come. */
const TYPES = /\.d\.[mc]?ts$/;
const LIST = /^(?:TSExportAssignment|ExportDefaultDeclaration|export list) /;
const HELPER = "FunctionDeclaration ";
const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, "");
