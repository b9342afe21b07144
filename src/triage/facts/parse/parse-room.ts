/**
 * What looking into a text may take at worst, told from its bytes alone, without understanding them: a parser that overflows its
 * stack, fills the memory or never ends takes its process with it, and nothing in that process can prevent it (T5). Every token
 * is counted as if all before it were still open; so no kind of nesting, no string and no comment can hide one. What is light by
 * this measure is looked into anywhere. Everything else only in a process of its own, whose death costs one file its evidence.
 */
import { jsonDepth } from "../../../text/json-depth.ts";
import { isLockfile } from "../manifests/manifest-kinds.ts";
import type { Language } from "../paths/languages.ts";
import { MAX_DATA_DEPTH, yamlDepth } from "./data-depth.ts";

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

const [BLANK, WORD, SIGN, OPENER, FOREIGN] = [0, 1, 2, 3, 4];
const KINDS = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte >= 0x80) return byte >= 0xc0 ? FOREIGN : BLANK;
  const character = String.fromCharCode(byte);
  if (/[\w$]/.test(character)) return WORD;
  // A line that goes on below costs Python's grammar more than any other sign.
  if ("([{<`\\".includes(character)) return OPENER;
  return byte <= 0x20 ? BLANK : SIGN;
});
