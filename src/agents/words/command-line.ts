/**
 * Command lines of agents: which program is meant behind `env`, `node` and `npx`, which flags are there, where others go in. The
 * user's own words are never dropped or put in another order.
 */
import { createHash } from "node:crypto";
import { basename } from "node:path";

/** Programs that start the one behind them. */
const STARTERS = new Set([
  "env",
  "node",
  "nodejs",
  "bun",
  "npx",
  "bunx",
  "nice",
  "nohup",
  "stdbuf",
  "timeout",
]);
const SCRIPT = /\.(?:js|mjs|cjs)$/;

/** What an agent is called on a command line. */
export interface ProgramNames {
  readonly names: readonly string[];
  /** npm packages, by which `npx` and a script's path name it. */
  readonly packages: readonly string[];
}

/** Where the agent's program stands in the command; -1: it is another one. Only behind programs that start what they are given. */
export function programAt(command: readonly string[], { names, packages }: ProgramNames): number {
  for (const [at, word] of command.entries()) {
    const name = basename(word);
    const isScript = SCRIPT.test(word) && packages.some((one) => word.includes(`/${one}/`));
    const isPackage = packages.some((one) => word === one || word.startsWith(`${one}@`));
    if (names.includes(name) || isScript || isPackage) return at;
    const leadsOn =
      STARTERS.has(name) || word.startsWith("-") || /^[A-Z_][A-Z0-9_]*=/i.test(word) || /^\d/.test(word);
    if (!leadsOn) return -1;
  }
  return -1;
}

/** Whether one of the flags is among the words, as `--flag`, `--flag value` or `--flag=value`. What stands behind `--` is no flag. */
export const hasFlag = (words: readonly string[], flags: readonly string[]): boolean =>
  flagAt(words, flags) !== -1;

export function flagAt(words: readonly string[], flags: readonly string[]): number {
  const end = words.indexOf("--");
  const among = end === -1 ? words : words.slice(0, end);
  return among.findIndex((word) => flags.some((flag) => word === flag || word.startsWith(`${flag}=`)));
}

/** The value of a flag, in either form; null: it is not there, or has none. */
export function flagValue(words: readonly string[], flags: readonly string[]): string | null {
  const at = flagAt(words, flags);
  if (at === -1) return null;
  const word = words[at] ?? "";
  const equals = word.indexOf("=");
  return equals === -1 ? (words[at + 1] ?? null) : word.slice(equals + 1);
}

/** The flags taken out, each with as many values behind it as it takes. */
export function withoutFlags(
  words: readonly string[],
  flags: Readonly<Record<string, 0 | 1 | "maybe">>,
): readonly string[] {
  const kept: string[] = [];
  const end = words.indexOf("--");
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    const flag =
      end !== -1 && at >= end
        ? undefined
        : Object.keys(flags).find((one) => word === one || word.startsWith(`${one}=`));
    if (flag === undefined) kept.push(word);
    else if (word === flag) at += valuesBehind(words[at + 1], flags[flag] ?? 0);
  }
  return kept;
}

const valuesBehind = (next: string | undefined, takes: 0 | 1 | "maybe"): number =>
  takes === "maybe" ? Number(next !== undefined && !next.startsWith("-")) : takes;

/** How many values a flag takes: none, one, one if it does not look like a flag, or all that do not. */
export type FlagTakes = 0 | 1 | "maybe" | "many";

/**
 * Where the words stand that are neither flags nor their values: the prompt, a subcommand. A flag that is not in the list is taken for
 * one without a value.
 */
export function plainWordsAt(
  words: readonly string[],
  flags: Readonly<Record<string, FlagTakes>>,
): readonly number[] {
  const ended = words.indexOf("--");
  const end = ended === -1 ? words.length : ended;
  const isValue = (at: number): boolean => at < end && !/^-./.test(words[at] ?? "");
  const plain: number[] = [];
  for (let at = 0; at < end; at++) {
    const word = words[at] ?? "";
    if (isValue(at)) {
      plain.push(at);
      continue;
    }
    const takes = Object.hasOwn(flags, word) ? flags[word] : 0;
    if (takes === 1 || (takes === "maybe" && isValue(at + 1))) at += 1;
    while (takes === "many" && isValue(at + 1)) at += 1;
  }
  for (let at = end + 1; at < words.length; at++) plain.push(at);
  return plain;
}

/** Whether a version is this one or a later one; false: it is none, or nobody knows. */
export function isSince(version: string | null, oldest: readonly number[]): boolean {
  const found = /^v?(\d+)\.(\d+)\.(\d+)/.exec(version ?? "");
  if (!found) return false;
  const numbers = found.slice(1).map(Number);
  const at = oldest.findIndex((number, i) => numbers[i] !== number);
  return at === -1 || (numbers[at] ?? 0) > (oldest[at] ?? 0);
}

/** The same words with others put in right behind the program. */
export const behindProgram = (
  command: readonly string[],
  at: number,
  added: readonly string[],
): readonly string[] => [...command.slice(0, at + 1), ...added, ...command.slice(at + 1)];

/**
 * The conversation that a command names by its id: a new one that it gives that id, or one that it goes on with. Null: by none (the latest, a
 * number, a name), or it goes on in a copy with an id of its own.
 */
export function namedConversation(
  words: readonly string[],
  { goesOn, copies = [] }: { readonly goesOn: readonly string[]; readonly copies?: readonly string[] },
): string | null {
  const given = flagValue(words, ["--session-id"]);
  if (given !== null) return given;
  const gone = hasFlag(words, copies) ? null : flagValue(words, goesOn);
  return gone !== null && CONVERSATION.test(gone) ? gone : null;
}

const CONVERSATION = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** An id in the form agents take, the same for the same session and attempt: found again without being written down. */
export function nativeIdOf({ id, attempt }: { readonly id: string; readonly attempt: number }): string {
  const hex = createHash("sha256").update(`refloat ${id} ${attempt}`).digest("hex");
  const variant = "89ab"[Number.parseInt(hex.slice(16, 17), 16) % 4] ?? "8";
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
