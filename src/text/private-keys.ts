/**
 * Private keys in PEM, OpenSSH, PGP and PuTTY dress, whole or cut off at either end: a transcript holds what
 * `head` or `tail` of a key file printed as often as the file. Lines may be numbered, quoted, or marked as in a
 * diff.
 */
import { longRuns } from "./long-runs.ts";
import type { SecretFinding } from "./redaction-marker.ts";
import { looksLikeKeyLine } from "./secret-literal.ts";

/** The largest key known as one: an RSA key of 16,384 bits has 12,500 characters, a PGP block with photos more. */
const MAX_PRIVATE_KEY_CHARS = 64 * 1024;

const BEGIN = /-{4,5} ?BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)? ?-{4,5}|Private-Lines: \d{1,4}/g;
const END = /-{4,5} ?END (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)? ?-{4,5}/g;
const MAX_RULER_CHARS = 128;
/** Between the words of a key: blanks, and what quotes, comments, diffs and string joins put there. */
const WORD = /[^\s"'`,>|]+/g;
/** One line of a key. Shorter ones are only its last; after header lines, where prose may stand, only long ones count. */
const BODY = /^[+-]?[A-Za-z0-9+/]{16,}={0,2}\\?$/;
const LONG_BODY = /^[+-]?[A-Za-z0-9+/]{40,}={0,2}\\?$/;
const LAST = /^[+-]?=?[A-Za-z0-9+/]{1,64}={0,2}\\?$/;
const RULER = /^[+-]?-{4,5}/;
const DECORATION = /^(?:[+-]|\d{1,6}[:→|]?|#|\*|\/\/|\\)$/;
/** Header lines of an encrypted or a PGP key stand before its first line. */
const MAX_HEADER_WORDS = 16;

/** `runs`: the long runs of the text, a line each (runs 1). */
export function findPrivateKeys(text: string, runs: string = longRuns(text).text): SecretFinding[] {
  const found: SecretFinding[] = [];
  let after = 0;
  for (const begin of text.matchAll(BEGIN)) {
    if (begin.index < after) continue;
    const end = endOfKey(text, begin.index + begin[0].length);
    if (end === null) continue;
    found.push({ rule: "private-key", start: begin.index, end });
    after = end;
  }
  const keys = [...found, ...findTails(text, found)];
  return hasKeyLine(runs) ? [...keys, ...findLines(text, keys)] : keys;
}

/** What a block that is no private key's begins and ends with: certificates, public keys, signatures, messages. */
const PUBLIC_RULER = /-{4,5} ?(BEGIN|END) (?!(?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY)[A-Z0-9 ]{3,40}-{4,5}/g;
/** PEM has 64 characters a line, OpenSSH 70. */
const KEY_LINE =
  /(?:(?<=(?:^|\n)[ \t]{0,8}[+-])|(?<![A-Za-z0-9+/=:_.-]))(?:[A-Za-z0-9+/]{64}|[A-Za-z0-9+/]{70})(?![A-Za-z0-9+/=_.-])/g;

/**
 * Single lines from the middle of a key, which nothing around them tells: as long as a key's lines are, and as random. A
 * hash in hex is not, an integrity has its algorithm before it, and what stands between public rulers is public.
 */
function findLines(text: string, keys: readonly SecretFinding[]): SecretFinding[] {
  const known = [...keys, ...publicBlocks(text)].sort((a, b) => a.start - b.start);
  const found: SecretFinding[] = [];
  let next = 0;
  let knownTo = 0;
  for (const line of text.matchAll(KEY_LINE)) {
    const [start, end] = [line.index, line.index + line[0].length];
    for (let one = known[next]; one !== undefined && one.start <= start; one = known[++next])
      knownTo = Math.max(knownTo, one.end);
    if (start >= knownTo && looksLikeKeyLine(line[0])) found.push({ rule: "private-key", start, end });
  }
  return found;
}

const hasKeyLine = (runs: string): boolean => {
  for (const [line] of runs.matchAll(KEY_LINE)) if (looksLikeKeyLine(line)) return true;
  return false;
};

/** With their lines, also where one of the two rulers was cut off. */
function publicBlocks(text: string): { start: number; end: number }[] {
  const blocks: { start: number; end: number }[] = [];
  let from = 0;
  for (const ruler of text.matchAll(PUBLIC_RULER)) {
    const [start, end] = [ruler.index, ruler.index + ruler[0].length];
    if (ruler[1] === "BEGIN") blocks.push({ start, end: endOfKey(text, end) ?? end });
    else
      blocks.push({
        start: startOfTail(text, Math.max(from, start - MAX_PRIVATE_KEY_CHARS), start) ?? start,
        end,
      });
    from = end;
  }
  return blocks;
}

/** Keys whose BEGIN line is missing. */
function findTails(text: string, keys: readonly SecretFinding[]): SecretFinding[] {
  const found: SecretFinding[] = [];
  let from = 0;
  for (const ruler of text.matchAll(END)) {
    const end = ruler.index + ruler[0].length;
    const isKnown = keys.some((key) => ruler.index >= key.start && ruler.index < key.end);
    // Each stretch between two END lines is read once.
    const start = isKnown
      ? null
      : startOfTail(text, Math.max(from, ruler.index - MAX_PRIVATE_KEY_CHARS), ruler.index);
    if (start !== null) found.push({ rule: "private-key", start, end });
    from = end;
  }
  return found;
}

/** Behind its END line if there is one, else behind the last word that belongs to a key; null: no key follows. */
function endOfKey(text: string, from: number): number | null {
  const region = text.slice(from, from + MAX_PRIVATE_KEY_CHARS);
  let lastBody: number | null = null;
  let headerWords = 0;
  for (const word of region.matchAll(WORD)) {
    const wordEnd = word.index + word[0].length;
    if (RULER.test(word[0])) return endAtRuler(region, word.index, lastBody, from);
    // A key holds no NUL: it parts texts that are searched together.
    if (word[0].includes("\0")) break;
    if ((headerWords === 0 || lastBody !== null ? BODY : LONG_BODY).test(word[0])) lastBody = wordEnd;
    else if (DECORATION.test(word[0])) continue;
    else if (lastBody === null && headerWords++ < MAX_HEADER_WORDS) continue;
    else if (lastBody !== null && LAST.test(word[0]) && isAtEnd(region, wordEnd)) lastBody = wordEnd;
    else break;
  }
  return lastBody === null ? null : from + lastBody;
}

function endAtRuler(region: string, at: number, lastBody: number | null, from: number): number | null {
  if (lastBody === null) return null;
  const closing = new RegExp(END.source).exec(region.slice(at, at + MAX_RULER_CHARS));
  return from + (closing !== null && closing.index <= 1 ? at + closing.index + closing[0].length : lastBody);
}

/** A short word is the key's last line when its END line, its padding or the end of the text follows. */
function isAtEnd(region: string, at: number): boolean {
  return (
    region.charAt(at - 1) === "=" || /^[\s"'`,>|+\\\d:→-]*(?:-{4,5} ?END|$)/.test(region.slice(at, at + 64))
  );
}

/** Where the lines before an END line without its BEGIN line begin; null: they are no key's. */
function startOfTail(text: string, from: number, end: number): number | null {
  const words = [...text.slice(from, end).matchAll(WORD)];
  let start: number | null = null;
  for (const word of words.reverse()) {
    const isLastLine = start === null && LAST.test(word[0]);
    if (BODY.test(word[0]) || isLastLine) start = from + word.index;
    else if (!DECORATION.test(word[0])) break;
  }
  return start;
}
