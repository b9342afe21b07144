/**
 * A file cut off at a line that still parses looks like a file. What tells them apart is the end: an edit leaves the
 * end of a file alone, or the file ends in the way files end (a list of exports); a cut leaves whatever came last.
 */
import type { FileFacts, SourceFacts } from "../file-facts.ts";
import { natureOf } from "../languages.ts";
import { nameOfPath } from "../manifests.ts";
import type { Member } from "../member.ts";
import { aboutEach, naming, type Rule } from "../rule.ts";

/** Of a shorter file any edit touches the end. */
export const OPEN_END_MIN_LINES = 10;
/** As many lines came at the end as went, and no more than these: an edit of the last lines. */
const MAX_EVEN_LINES = 2;

/** A new file of fewer lines is as likely whole as not. */
const NEW_TEXT_MIN_LINES = 4;
/** Lines lost at the end of a file of any kind, with nothing in their place. */
const LOST_LINES = 3;

export const openEndRule = {
  slug: "open-end",
  weight: "note",
  about: "The end of a file changed, or is new, and nothing shows that it is the end.",
  detail: `Files of at least ${OPEN_END_MIN_LINES} lines, new ones of ${NEW_TEXT_MIN_LINES}. Source: the last statement is not the one it was, and no list of exports. Prose and data (but JSON, which closes itself): lines came or went at the end. A shorter source: its end changed and it gives less than before.`,
  check: (view) =>
    aboutEach(view, evidenceOf, (count, first) => `The end of ${naming(count, first)} may be missing.`),
} as const satisfies Rule;

function evidenceOf({ path, before, after, delta }: Member): string | null {
  if (!after || after.isBinary || after.language === "json" || after.language === "jsonc") return null;
  const isLong = Math.max(before?.lines ?? 0, after.lines) >= OPEN_END_MIN_LINES;
  if (!before && !after.isLastLineWhole) return `${path}: its last line has no end`;
  if (after.hasBlankEnd && !before?.hasBlankEnd) return `${path}: it ends with an empty line`;
  if (delta && before && delta.atEnd.gone >= LOST_LINES && delta.atEnd.added === 0)
    return `${path}: ${delta.atEnd.gone} lines went at its end, and none came`;
  const isTold = isLong || (!before && after.lines >= NEW_TEXT_MIN_LINES);
  if (natureOf(after.language) === "source") return ofSource(path, before, after, isTold);
  if (!before && after.lines >= NEW_TEXT_MIN_LINES) return `${path}: new, and it could go on`;
  if (!isLong || !delta || !before) return null;
  if (delta.dangling.length > 0) return `${path}: links to ${delta.dangling.join(", ")} lead nowhere`;
  const { gone, added } = delta.atEnd;
  if (gone === added && gone <= MAX_EVEN_LINES) return null;
  return `${path}: ${gone} lines went and ${added} came at its end`;
}

function ofSource(path: string, before: FileFacts | null, after: FileFacts, isLong: boolean): string | null {
  const [was, is] = [before?.source, after.source];
  if (!is) return null;
  if (!was && is.lastStatement === "" && after.size > 0) return `${path}: new, and there is no code in it`;
  if (was && was.lastStatement === is.lastStatement) return null;
  const lost = (was?.exports ?? []).filter((name) => !is.exports.includes(name));
  if (!isLong)
    return lost.length > 0 ? `${path}: its end changed, and it no longer gives ${lost.join(", ")}` : null;
  if (lost.length === 0 && isEnd(path, was?.lastStatement ?? "", is)) return null;
  const now = `now with ${is.lastStatement}`;
  return was
    ? `${path}: it ended with ${was.lastStatement}, and ${now}`
    : `${path}: it could go on after ${is.lastStatement}`;
}

/** The ways files end: a list of exports, what the file is named after, or functions that what is above needs. */
function isEnd(path: string, was: string, { isEndClosed, lastStatement, exports }: SourceFacts): boolean {
  if (isEndClosed) return true;
  const name = /^export \w+ ([\w$]+)$/.exec(lastStatement)?.[1];
  if (name !== undefined && plain(name) === plain(nameOfPath(path).replace(/(?:\.d)?\.\w+$/, "")))
    return true;
  // Were one of them missing, what needs it would use a name that nothing defines (loose-names).
  return exports.length > 0 && was.startsWith(HELPER) && lastStatement.startsWith(HELPER);
}

const HELPER = "FunctionDeclaration ";
const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, "");
