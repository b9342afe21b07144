/**
 * The session's part of a file that somebody had changed before it began, with proof (DESIGN 7). Pure.
 *
 *  C = merge(base begin, ours HEAD, theirs end) must be clean, and
 *  merge(base HEAD, ours begin, theirs C) must give `end` back, byte for byte.
 *
 * A clean three-way alone is wrong in some of a hundred cases on repetitive code (it takes a line out of another
 * function that looks the same); the way back shows it. Without proof there is no part: the group can be parked or left.
 */
import { changeSameLines, mergeLines, wholeLines } from "../../text/merge-lines.ts";

export type SessionPart =
  | { readonly kind: "part"; readonly bytes: Buffer }
  | { readonly kind: "none"; readonly why: string };

export interface ThreeStates {
  readonly head: Uint8Array;
  readonly begin: Uint8Array;
  readonly end: Uint8Array;
}

/** Longer files are not merged: the search for differences is bounded, and a wrong part is worse than none. */
const MAX_LINES = 50_000;

export function sessionPart({ head, begin, end }: ThreeStates): SessionPart {
  const texts = [head, begin, end].map((bytes) => Buffer.from(bytes).toString("latin1"));
  if (texts.some((text) => text.includes("\0"))) return none("it is binary");
  if (new Set(texts.flatMap(lineEnds)).size > 1) return none("its line endings are mixed");
  const [headLines, beginLines, endLines] = texts.map(wholeLines) as [string[], string[], string[]];
  if (Math.max(headLines.length, beginLines.length, endLines.length) > MAX_LINES)
    return none("it is too long");
  const part = mergeLines(beginLines, headLines, endLines);
  if (!part)
    return none(
      changeSameLines(beginLines, headLines, endLines)
        ? "the session changed lines that were changed before it began and are not committed yet"
        : "its lines stand next to lines that were changed before it began and are not committed yet",
    );
  const back = mergeLines(headLines, beginLines, part);
  if (!back || back.join("") !== texts[2]) return none("its part cannot be told from what was there before");
  return { kind: "part", bytes: Buffer.from(part.join(""), "latin1") };
}

const none = (why: string): SessionPart => ({ kind: "none", why });

function lineEnds(text: string): string[] {
  const all = text.split("\n").length - 1;
  const crlf = text.split("\r\n").length - 1;
  return [...(crlf > 0 ? ["crlf"] : []), ...(all > crlf ? ["lf"] : [])];
}
