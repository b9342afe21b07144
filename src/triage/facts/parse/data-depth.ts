/**
 * How deep data may be nested, at most, told in one pass before a parser that calls itself goes in. It must never come near the end of
 * the stack in a process that matters: where the engine has to compile a regular expression there, it does not throw, it ends the
 * process (Node 20: "RegExpCompiler Allocation failed", by 1,000 `[` in two YAML files). So nothing here relies on an error to be caught.
 */
import { MAX_JSON_DEPTH } from "../../../model/limits.ts";

/** Parsers overflow at 788 levels (yaml) and at some thousands (JSON); nobody writes so many. */
export const MAX_DATA_DEPTH = MAX_JSON_DEPTH;

const [TAB, LINE_FEED, BLANK, COLON] = [9, 10, 32, 58];
const [OPEN_LIST, OPEN_MAP, DASH, QUESTION] = [91, 123, 45, 63];

/**
 * Never less than it is: every bracket of the file as if none closed; two levels for each column that a line begins with (a map, and a list in
 * it, at the same one); and what opens a level inside of a line.
 */
export function yamlDepth(bytes: Uint8Array): number {
  let brackets = 0;
  let [indent, inLine] = [0, 0];
  let [mostIndent, mostInLine] = [0, 0];
  let isLeading = true;
  for (let at = 0; at <= bytes.length; at++) {
    const byte = bytes[at] ?? LINE_FEED;
    if (byte === LINE_FEED) {
      [mostIndent, mostInLine] = [Math.max(mostIndent, indent), Math.max(mostInLine, inLine)];
      [indent, inLine, isLeading] = [0, 0, true];
      continue;
    }
    const isIndicator = byte === DASH || byte === QUESTION || byte === COLON;
    isLeading &&= byte === BLANK || byte === TAB || isIndicator;
    if (isLeading) indent++;
    if (isIndicator && isEndOfWord(bytes[at + 1])) inLine++;
    if (byte === OPEN_LIST || byte === OPEN_MAP) brackets++;
  }
  return 2 * mostIndent + mostInLine + brackets;
}

/** 13: the line ends as Windows has it. */
const isEndOfWord = (byte: number | undefined): boolean =>
  byte === undefined || byte === BLANK || byte === TAB || byte === LINE_FEED || byte === 13;
