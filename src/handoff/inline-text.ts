/**
 * Short untrusted text inside a line of the brief (T3): a code span it cannot close, on one line, bounded. The brief
 * says once that what stands in code marks is data. Longer text goes into a fence (src/text/fence.ts).
 */
import type { PathName } from "../model/path-name.ts";
import { cutToBytes } from "../text/cut-to-bytes.ts";
import { escapeForTerminal } from "../text/escape-terminal.ts";
import { shellWord } from "../text/shell-word.ts";
import { shownPath } from "../text/shown-path.ts";

/** A label, a tool, a path: what fits a line. */
export const LINE_BYTES = 120;
const MARK = "…";

export function inlineText(text: string, maxBytes: number = LINE_BYTES): string {
  const flat = escapeForTerminal(text.replace(/[\s\u2028\u2029]+/gu, " ").trim(), { newlines: "show" });
  const shown = cutTo(flat.replaceAll("`", "'"), maxBytes).trim();
  return shown === "" ? "(empty)" : `\`${shown}\``;
}

/** As a shell takes it, outside of any mark of ours: a backtick is told by its number, between two quoted parts of a word. */
const QUOTED_BACKTICK = "'$'\\x60''";

/** The same for what is to be typed (T6), a command or a name: its words are quoted already (src/text/shell-word.ts), and stay what they are. */
export const inlineTyped = (text: string, maxBytes: number = LINE_BYTES): string =>
  inlineText(
    text.replaceAll("`", () => QUOTED_BACKTICK),
    maxBytes,
  );

/** A name of a file as a shell takes it, odd characters and spaces included. */
export function typedPath(path: PathName): string {
  const shown = shownPath(path);
  return shown === path ? shellWord(path) : shown.replaceAll("`", "\\x60");
}

/** What is cut says so; in bytes, because the budget is. */
function cutTo(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  return `${cutToBytes(text, maxBytes - Buffer.byteLength(MARK))}${MARK}`;
}

/** The last line that says anything. */
export function lastLineOf(text: string): string {
  return text.split("\n").findLast((line) => line.trim() !== "") ?? "";
}

/** The words of DESIGN 10 that a fact may say; whatever else stands in their place is text of others. */
const OUR_WORDS: ReadonlySet<string> = new Set([
  ...["completed", "cancelled", "failed", "interrupted"],
  ...["added", "modified", "deleted", "renamed", "type", "mode"],
  ...["before", "session", "other", "after", "unknown"],
  ...["pending", "in_progress", "complete", "skipped"],
]);

export const plainWord = (text: string): string =>
  OUR_WORDS.has(text) ? text.replaceAll("_", " ") : inlineText(text, 30);
