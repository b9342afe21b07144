/**
 * Short untrusted text inside a line of the brief (T3): a code span it cannot close, on one line, bounded. The brief
 * says once that what stands in code marks is data. Longer text goes into a fence (src/text/fence.ts).
 */
import { cutToBytes } from "../text/cut-to-bytes.ts";
import { escapeForTerminal } from "../text/escape-terminal.ts";

/** A label, a tool, a path: what fits a line. */
export const LINE_BYTES = 120;
const MARK = "…";

export function inlineText(text: string, maxBytes: number = LINE_BYTES): string {
  const flat = escapeForTerminal(text.replace(/[\s\u2028\u2029]+/gu, " ").trim(), { newlines: "show" });
  const shown = cutTo(flat.replaceAll("`", "'"), maxBytes).trim();
  return shown === "" ? "(empty)" : `\`${shown}\``;
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
