/**
 * The end of a Markdown text: its last section, and definitions of links. A cut ends in the middle of a section, or with one that
 * others followed; an edit above it, or inside it, leaves its heading the last and its last words the last. Pure.
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

/**
 * Definitions of links at the end of Markdown come and go with the links above them. They are no sign of a cut as long
 * as every link that is used is defined; a cut among them leaves some that are not. Pure.
 */
const DEFINITION = /^ {0,3}\[([^\]]+)\]:\s*\S/;
/** Also around a picture: `[![alt][picture]][target]`. */
const FULL = /\]\[([^\][]+)\]/g;
/** What is shown as code has brackets of its own. */
const CODE = /^(`{3,}(?!`)|~{3,}(?!~))[^\n]*\n[\s\S]*?^\1[^\n]*$|`[^`\n]*`|^(?: {4}|\t).*$/gm;
const MAX_LISTED = 20;

/** Nobody is shown these; a block of definitions often stands between two of them. */
const COMMENT = /^\s*<!--(.*)-->\s*$/;

/** The lines without definitions, without comments and without blank lines at the end. */
export function bodyOf(lines: readonly string[]): string[] {
  const body: string[] = [];
  const below = new Set<string>();
  for (const line of lines.toReversed()) {
    const said = COMMENT.exec(line)?.[1];
    if (said !== undefined && !isOpening(said, below)) below.add(said);
    else if (!DEFINITION.test(line) && (body.length > 0 || line.trim() !== "")) body.push(line);
  }
  return body.reverse();
}

/**
 * The text ends with the definition it ended with: whatever changed above, nothing below is missing, as long as every
 * link that is used is defined.
 */
export function isLastDefinitionKept(before: readonly string[], after: readonly string[]): boolean {
  const last = lastLine(before);
  if (!DEFINITION.test(last) || lastLine(after) !== last) return false;
  const isOnce = (lines: readonly string[]): boolean =>
    lines.filter((line) => line.trim() === last).length === 1;
  // A comment that says where the definitions start, and none below it that says where they end.
  const isOpen = bodyOf(after).some((line) => COMMENT.test(line) && !before.includes(line));
  return isOnce(before) && isOnce(after) && !isOpen;
}

const lastLine = (lines: readonly string[]): string =>
  lines.findLast((line) => line.trim() !== "")?.trim() ?? "";

/** It says where something starts, and none below it says where that ends: as when the end is missing. */
function isOpening(said: string, below: ReadonlySet<string>): boolean {
  const end = said.replace(/\b(?:start|begin)\b/i, "end");
  return end !== said && !below.has(end);
}

/** Labels that are used and not defined, and were not so before. */
export function danglingIn(before: string, after: string): string[] {
  const was = new Set(undefinedIn(before, definedIn(before)));
  return undefinedIn(after, new Set([...definedIn(before), ...definedIn(after)]))
    .concat(lostIn(before, after))
    .filter((label) => !was.has(label))
    .slice(0, MAX_LISTED);
}

export function definedIn(text: string): Set<string> {
  return new Set(text.split("\n").flatMap((line) => DEFINITION.exec(line)?.[1]?.toLowerCase() ?? []));
}

function undefinedIn(text: string, defined: ReadonlySet<string>): string[] {
  return [...text.replaceAll(CODE, "").matchAll(FULL)]
    .map(([, label]) => (label ?? "").toLowerCase())
    .filter((label) => !defined.has(label));
}

/** Defined before and not now, and still used, also in the short form `[label]`, or the last of all that nothing ever used. */
function lostIn(before: string, after: string): string[] {
  const defined = definedIn(after);
  const used = new Set(shortIn(after));
  const last = lastDefinition(before);
  const usedBefore = new Set([...shortIn(before), ...undefinedIn(before, new Set())]);
  return [...definedIn(before)].filter(
    (label) => !defined.has(label) && (used.has(label) || (label === last && !usedBefore.has(label))),
  );
}

/** What the text ended with: if nothing used it, it did not go with its last use. */
const lastDefinition = (text: string): string | undefined =>
  DEFINITION.exec(text.slice(text.trimEnd().lastIndexOf("\n") + 1))?.[1]?.toLowerCase();

/** Alone, or after the text of a link; text that has its own target is no label. */
const SHORT = /\[([^\][]+)\](?:\[\]|(?![[(:]))/g;
const shortIn = (text: string): string[] =>
  [...text.matchAll(SHORT)].map(([, label]) => (label ?? "").toLowerCase());
