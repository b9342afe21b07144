/**
 * What looking into a text may take at worst, told from its bytes alone, without understanding them: a parser that overflows its
 * stack, fills the memory or never ends takes its process with it, and nothing in that process can prevent it (T5). Every token
 * is counted as if all before it were still open; so no kind of nesting, no string and no comment can hide one. What is light by
 * this measure is looked into anywhere. Everything else only in a process of its own, whose death costs one file its evidence.
 */
import { MAX_JSON_DEPTH } from "../../../model/limits.ts";
import { jsonDepth } from "../../../text/json-depth.ts";
import { isLockfile } from "../manifests/manifest-kinds.ts";
import type { Language } from "../paths/languages.ts";

/** Hand-written files are far smaller; a generated one costs seconds and says little. */
export const MAX_PARSE_BYTES = 1024 * 1024;
/** Lockfiles are generated and large, and only read as data. */
const MAX_LOCKFILE_BYTES = 16 * 1024 * 1024;

export const mostBytes = (path: string): number => (isLockfile(path) ? MAX_LOCKFILE_BYTES : MAX_PARSE_BYTES);

/**
 * Bytes of stack that oxc 0.154 needs for one more level: at most 1,613 for what opens something (`{a:`, a template's hole;
 * 2,097 for `class{a=` with its words), 476 for a word (`yield`, `keyof`), 109 for a sign (`!`): measured on x64 with 73 kinds of
 * nesting. Here a third more and up. Other costs, of the grammars and of yaml, grow with the square of the tokens at worst.
 */
const OPENER_COST = 2200;
const WORD_COST = 800;
const SIGN_COST = 250;
/** Half of the stack a process has (8 MiB); threads that parse are given as much. Of our own sources, 1,033 of 1,037 fit, up to 16 KB. */
const LIGHT_COST = 4 * 1024 * 1024;

/** Read line by line, or by parsers whose depth is bounded: the square of so many bytes is seconds. */
const LIGHT_PLAIN_BYTES = 96 * 1024;

export function isLight(language: Language, bytes: Uint8Array): boolean {
  switch (language) {
    case "json":
    case "jsonc":
    case "jsonl":
      return bytes.length <= LIGHT_PLAIN_BYTES && jsonDepth(bytes) <= MAX_DATA_DEPTH;
    case "toml":
    case "prose":
    case "source":
    case "other":
      return bytes.length <= LIGHT_PLAIN_BYTES;
    case "yaml":
      return costOf(bytes) <= LIGHT_COST && yamlDepth(bytes) <= MAX_DATA_DEPTH;
    case "javascript":
    case "typescript":
    case "python":
    case "go":
    case "rust":
    case "java":
    case "cpp":
    case "csharp":
    case "ruby":
    case "php":
    case "shell":
    case "css":
      return costOf(bytes) <= LIGHT_COST;
    default:
      return language satisfies never;
  }
}

/** Words are letters, digits, `_` and `$`; a character that is not ASCII counts as one, as some are blanks. */
function costOf(bytes: Uint8Array): number {
  let cost = 0;
  let isInWord = false;
  for (let at = 0; at < bytes.length && cost <= LIGHT_COST; at++) {
    const kind = KINDS[bytes[at] ?? 0];
    if (kind === FOREIGN || (kind === WORD && !isInWord)) cost += WORD_COST;
    else if (kind === SIGN) cost += SIGN_COST;
    else if (kind === OPENER) cost += OPENER_COST;
    isInWord = kind === WORD;
  }
  return cost;
}

const [WORD, SIGN, OPENER, FOREIGN] = [1, 2, 3, 4];
const KINDS = new Uint8Array(256).fill(FOREIGN, 0xc0).fill(SIGN, 0x21, 0x80);
for (const byte of Buffer.from("$0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"))
  KINDS[byte] = WORD;
// A line that goes on below costs Python's grammar more than any other sign.
for (const byte of Buffer.from("([{<`\\")) KINDS[byte] = OPENER;

// How deep data may be nested, at most, told in one pass before a parser that calls itself goes in. It must never come near the end of
// the stack in a process that matters: where the engine has to compile a regular expression there, it does not throw, it ends the
// process (Node 20: "RegExpCompiler Allocation failed", by 1,000 `[` in two YAML files). So nothing here relies on an error to be caught.

/** Parsers overflow at 788 levels (yaml) and at some thousands (JSON); nobody writes so many. */
export const MAX_DATA_DEPTH = MAX_JSON_DEPTH;

const [TAB, LINE_FEED, SPACE, COLON] = [9, 10, 32, 58];
const [OPEN_LIST, OPEN_MAP, DASH, QUESTION] = [91, 123, 45, 63];

/**
 * Never less than it is: every bracket of the file as if none closed; two levels for each column that a line begins with (a map, and a list in
 * it, at the same one); and what opens a level inside of a line.
 */
function yamlDepth(bytes: Uint8Array): number {
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
    isLeading &&= byte === SPACE || byte === TAB || isIndicator;
    if (isLeading) indent++;
    if (isIndicator && isEndOfWord(bytes[at + 1])) inLine++;
    if (byte === OPEN_LIST || byte === OPEN_MAP) brackets++;
  }
  return 2 * mostIndent + mostInLine + brackets;
}

/** 13: the line ends as Windows has it. */
const isEndOfWord = (byte: number | undefined): boolean =>
  byte === undefined || byte === SPACE || byte === TAB || byte === LINE_FEED || byte === 13;
