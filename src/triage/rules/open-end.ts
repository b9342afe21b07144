/**
 * A file cut off at a line that still parses looks like a file. What tells them apart is the end: an edit leaves the
 * end of a file alone, or the file ends in the way files end (a list of exports); a cut leaves whatever came last.
 */
import type { FileFacts } from "../file-facts.ts";
import { natureOf } from "../languages.ts";
import type { Member } from "../member.ts";
import { aboutEach, naming, type Rule } from "../rule.ts";

/** Of a shorter file any edit touches the end. */
export const OPEN_END_MIN_LINES = 10;
/** As many lines came at the end as went, and no more than these: an edit of the last lines. */
const MAX_EVEN_LINES = 2;

export const openEndRule = {
  slug: "open-end",
  weight: "note",
  about: "The end of a file changed, or is new, and nothing shows that it is the end.",
  detail: `Files of at least ${OPEN_END_MIN_LINES} lines. Source: the last statement is not the one it was, and no list of exports. Prose and data (but JSON, which closes itself): lines came or went at the end. A shorter source: its end changed and it gives less than before.`,
  check: (view) =>
    aboutEach(view, evidenceOf, (count, first) => `The end of ${naming(count, first)} may be missing.`),
} as const satisfies Rule;

function evidenceOf({ path, before, after, delta }: Member): string | null {
  if (!after || after.isBinary || after.language === "json" || after.language === "jsonc") return null;
  const isLong = Math.max(before?.lines ?? 0, after.lines) >= OPEN_END_MIN_LINES;
  if (!before && isLong && !after.isLastLineWhole) return `${path}: its last line has no end`;
  if (natureOf(after.language) === "source") return ofSource(path, before, after, isLong);
  if (!isLong || !delta) return null;
  if (!before) return `${path}: new, and it could go on`;
  const { gone, added } = delta.atEnd;
  if (gone === added && gone <= MAX_EVEN_LINES) return null;
  return `${path}: ${gone} lines went and ${added} came at its end`;
}

function ofSource(path: string, before: FileFacts | null, after: FileFacts, isLong: boolean): string | null {
  const [was, is] = [before?.source, after.source];
  if (!is) return null;
  if (was && was.lastStatement === is.lastStatement) return null;
  const lost = (was?.exports ?? []).filter((name) => !is.exports.includes(name));
  if (!isLong)
    return lost.length > 0 ? `${path}: its end changed, and it no longer gives ${lost.join(", ")}` : null;
  if (is.isEndClosed && lost.length === 0) return null;
  return was
    ? `${path}: it ended with ${was.lastStatement}, and now with ${is.lastStatement}`
    : `${path}: it could go on after ${is.lastStatement}`;
}
