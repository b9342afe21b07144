/**
 * What the last lines of a text say about whether they are the last. A cut leaves whatever came last; an edit leaves the
 * old last line, or one that is the old one with other words in it, or a block that is closed. Pure.
 */
import type { Language } from "../paths/languages.ts";

/** Fewer letters are brackets and rules, which many ends have in common. */
export const TELLING = /(?:\w\W*){8}/;
/** Words two lines have in common, of all they have, to be one line before and after. */
const SAME_LINE = 0.5;
/** A long text is not compared with its own last line: rows of data are alike and too many. */
const MAX_COMPARED_LINES = 5000;
/** Lines that may go when a block is put in their place: a heading, a blank line, what stood below. */
const MAX_REPLACED_LINES = 2;

/**
 * The last line is the old one, edited: they have most of their words in common, and no other line of either text is
 * so like it (in a list every line is like the last). Not an item of a list, nor code.
 */
export function isLastLineEdited(
  before: readonly string[],
  after: readonly string[],
  { isWhole }: { readonly isWhole: boolean },
): boolean {
  const [was, is] = [lastTelling(before), lastTelling(after)];
  if (was < 0 || is < 0 || Math.max(before.length, after.length) > MAX_COMPARED_LINES) return false;
  // What stands below it must be the same, or the end is another one.
  const below = rest(after, is);
  if (rest(before, was) !== below || isOneOfMany(after[is] ?? "", below)) return false;
  if (!isWhole && lastWord(before[was]) !== lastWord(after[is])) return false;
  if (isRenumbered(before, was, after, is)) return true;
  const isLike = (line: string): boolean => isSameLine(before[was] ?? "", line);
  const isAlone = (lines: readonly string[], at: number): boolean =>
    !lines.some((line, other) => other !== at && TELLING.test(line) && isLike(line));
  return isLike(after[is] ?? "") && isAlone(before, was) && isAlone(after, is);
}

/** The item of a list, the row of a table, or a line of code: more of them, or the text after them, may be what is missing. */
export const isOneOfMany = (line: string, below: string): boolean =>
  /^(?: {4}|\t)|^\s*(?:[-*+|]|\d+[.)])\s/.test(line) || /^(?:`{3,}|~{3,})\s*$/m.test(below);

const lastTelling = (lines: readonly string[]): number => lines.findLastIndex((line) => TELLING.test(line));

/** Of a line without an end: a cut leaves the beginning of it, and half a number is a number. */
const lastWord = (line: string | undefined): string => {
  const word = /\w*\W*$/.exec(line ?? "")?.[0] ?? "";
  return /\d$/.test(word) ? word : withoutNumbers(word);
};

const withoutNumbers = (line: string): string => line.trim().replaceAll(/\d+/g, "0");

/** The old last line with other numbers in it (a version, a year), and no other line of either text is that. */
function isRenumbered(before: readonly string[], was: number, after: readonly string[], is: number): boolean {
  const line = withoutNumbers(before[was] ?? "");
  const isOnce = (lines: readonly string[]): boolean =>
    lines.filter((other) => withoutNumbers(other) === line).length === 1;
  return withoutNumbers(after[is] ?? "") === line && isOnce(before) && isOnce(after);
}

const rest = (lines: readonly string[], at: number): string =>
  lines
    .slice(at + 1)
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join("\n");

/** Numbers and dates change from one line of a log to the next, and tell none from another. */
const wordsOf = (line: string): Map<string, number> => {
  const words = new Map<string, number>();
  for (const word of line.toLowerCase().match(/\b[a-z_]+\b/g) ?? [])
    words.set(word, (words.get(word) ?? 0) + 1);
  return words;
};

/** Two lines that have most of their words in common. */
export const isSameLine = (a: string, b: string): boolean => likeness(wordsOf(a), wordsOf(b)) >= SAME_LINE;

function likeness(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number {
  let [common, all] = [0, 0];
  for (const [word, count] of a) common += Math.min(count, b.get(word) ?? 0);
  for (const count of [...a.values(), ...b.values()]) all += count;
  return all === 0 ? 0 : (2 * common) / all;
}

/** Blocks; a link or a picture stands in the middle of a text. */
const BLOCK = /^<(div|p|table|details|center|footer|section|blockquote|dl|ul|ol|pre)\b/i;

/** What came at the end is one block of markup, opened by its first line and closed by its last. */
export function isBlockAtEnd(lines: readonly { readonly kind: string; readonly text: string }[]): boolean {
  const from = lines.findLastIndex(({ kind }) => kind === "same") + 1;
  const gone = lines.slice(from).filter(({ kind, text }) => kind === "gone" && text.trim() !== "").length;
  const came = lines.slice(from).filter(({ kind }) => kind === "new");
  const shown = came
    .map(({ text }) => text.trim())
    .filter((text) => text !== "" && !/^(?:-{3,}|<br ?\/?>)$/.test(text));
  const tag = BLOCK.exec(shown[0] ?? "")?.[1];
  if (tag === undefined || gone > MAX_REPLACED_LINES || shown.at(-1) !== `</${tag}>`) return false;
  const text = shown.join("\n");
  const count = (mark: string): number => text.split(new RegExp(`<${mark}${tag}\\b`, "i")).length - 1;
  return count("") === 1 && count("/") === 1;
}

/** The last words of the licences that are copied as they are: below them there is nothing. */
const LICENCE_ENDS =
  /(?:or other dealings in (?:the|this) software|(?:use or|or) performance of this software|if advised of the possibility of such damages?|limitations under the license|<https?:\/\/unlicense\.org\/?>|as defined by the mozilla public license, v\. ?2\.0|<https?:\/\/www\.gnu\.org\/(?:licenses|philosophy)\/why-not-lgpl\.html>)[.\s]*$/i;
const MAX_END_CHARS = 400;

export const endsAsLicence = (text: string): boolean =>
  LICENCE_ENDS.test(text.slice(-MAX_END_CHARS).replaceAll(/[\s*>]+/g, " "));

/** Markdown in the middle of its code; a section of TOML with nothing in it; data that is all comments so far. */
export function endsInside(path: string, language: Language, text: string): boolean {
  if (/\.(?:md|markdown)$/i.test(path)) return hasOpenFence(text);
  if (language !== "yaml" && language !== "toml") return false;
  const told = text.split("\n").filter((line) => !/^\s*(?:#.*|---.*|%.*)?$/.test(line));
  const last = told.at(-1)?.trim();
  return last === undefined ? text !== "" : language === "toml" && /^\[.*\]$/.test(last);
}

const FENCE = /^[\s>]*(`{3,}|~{3,})(.*)$/;

function hasOpenFence(text: string): boolean {
  let open: string | null = null;
  for (const line of text.split("\n")) {
    const [, fence, rest] = FENCE.exec(line) ?? [];
    if (fence === undefined || rest === undefined) continue;
    if (open === null) open = rest.includes("`") ? null : fence;
    else if (fence.startsWith(open) && rest.trim() === "") open = null;
  }
  return open !== null;
}

/** What compilers write last: where the map of this very file is. */
export const endsWithMap = (name: string, text: string): boolean =>
  /^\/\/[#@] sourceMappingURL=(\S+)\s*$/.exec(text.slice(text.trimEnd().lastIndexOf("\n") + 1))?.[1] ===
  `${name}.map`;

/** How the oldest entry of a history reads, whatever stands around the words. */
const FIRST_ENTRY =
  /^[^\p{L}\p{N}]*(?::\w+:)?[^\p{L}\p{N}]*(?:initial|first)(?: public)? (?:release|version|commit)[^\p{L}\p{N}]*$/iu;
const VERSION = /^(?:#+\s|\W{0,3}v?\d+\.\d+).*\d/i;

/**
 * A history, newest first: all its oldest entry says is that it is the first. Given without blank lines, `labels` are those
 * of the links it defines: what its headings link to is often defined below everything.
 */
export function endsAsHistory(lines: readonly string[], labels: ReadonlySet<string>): boolean {
  if (!FIRST_ENTRY.test(lines.at(-1) ?? "")) return false;
  const linked = lines.flatMap((line) => /^#+ \[([^\]]+)\](?!\()/.exec(line)?.[1]?.toLowerCase() ?? []);
  if (!linked.every((label) => labels.has(label))) return false;
  const above = lines.slice(0, -1).filter((line) => !/^(?:=+|-+|#+ ?(?:added|features))$/i.test(line));
  return VERSION.test(above.at(-1) ?? "") && above.filter((line) => VERSION.test(line)).length > 1;
}
