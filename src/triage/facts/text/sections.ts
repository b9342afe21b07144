/**
 * The last section of a Markdown text. A cut ends in the middle of one, or with one that others followed; an edit above
 * it, or inside it, leaves its heading the last and its last words the last. Pure.
 */

import { isOneOfMany, isSameLine } from "./ends.ts";

/** Words that end two texts in the same way; a section of fewer is compared whole. */
const SAME_LAST_WORDS = 3;
/** A long text is no page that somebody reads to its end. */
const MAX_LINES = 5000;

interface TextSection {
  readonly heading: string;
  /** How often that heading stands in the text. */
  readonly count: number;
  readonly words: readonly string[];
  /** Lines with something in them. */
  readonly lines: readonly string[];
}

/**
 * It is headed as before, ends with the same words, and has not lost half of them. Headings that look the same are told
 * by their number: with one less, it is another section that is last.
 */
export function isLastSectionKept(before: readonly string[], after: readonly string[]): boolean {
  const [was, is] = [lastSection(before), lastSection(after)];
  if (!was || !is || was.heading !== is.heading || is.count < was.count) return false;
  if (was.words.length === 0 || is.words.length * 2 < was.words.length) return false;
  if (isOneLineEdited(was, is)) return true;
  const isShort = Math.min(was.words.length, is.words.length) <= SAME_LAST_WORDS;
  const ending = ({ words }: TextSection): string => words.slice(isShort ? 0 : -SAME_LAST_WORDS).join(" ");
  if (ending(was) !== ending(is)) return false;
  // Paragraphs of one section end alike: with one less, it is another that is last.
  const countOf = ({ words }: TextSection): number => ` ${words.join(" ")} `.split(` ${ending(was)} `).length;
  return countOf(is) >= countOf(was);
}

/** All of the section is one line, then and now, and it is the same line with other words in it. */
function isOneLineEdited(was: TextSection, is: TextSection): boolean {
  const [old, fresh] = [was.lines[0] ?? "", is.lines[0] ?? ""];
  if (was.lines.length !== 1 || is.lines.length !== 1 || isOneOfMany(fresh, "")) return false;
  return isSameLine(old, fresh);
}

/** Null: no heading, a block of code that was never closed, or too much. */
function lastSection(lines: readonly string[]): TextSection | null {
  if (lines.length > MAX_LINES) return null;
  const headings: { readonly text: string; readonly below: number }[] = [];
  let fence: string | null = null;
  for (const [at, line] of lines.entries()) {
    const mark: string | undefined = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark !== undefined) {
      if (fence === null) fence = mark;
      else if (mark.startsWith(fence) && line.trim() === mark) fence = null;
      continue;
    }
    if (fence !== null) continue;
    const text = /^#{1,6}\s+(\S.*)$/.exec(line)?.[1];
    if (text !== undefined) headings.push({ text: plain(text), below: at + 1 });
    const isUnderlined = /^(?:=+|-+)\s*$/.test(lines[at + 1] ?? "") && /\w/.test(line);
    if (text === undefined && isUnderlined) headings.push({ text: plain(line), below: at + 2 });
  }
  const last = headings.at(-1);
  if (!last || fence !== null) return null;
  const below = lines.slice(last.below);
  return {
    heading: last.text,
    count: headings.filter(({ text }) => text === last.text).length,
    words: wordsIn(below),
    lines: below.filter((line) => line.trim() !== ""),
  };
}

const plain = (heading: string): string =>
  heading
    .replace(/#+\s*$/, "")
    .trim()
    .toLowerCase();
const wordsIn = (lines: readonly string[]): string[] =>
  lines.flatMap((line) => line.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []);
