/**
 * What the words of a command name of what it takes away. A word is a place, or a pattern that the holder reads as the shell would, or
 * nobody can tell before it runs: what is not surely one of the first two counts as the last. Pure.
 */
import type { CommandWord } from "./simple-commands.ts";

export interface TakenWords {
  readonly places: readonly string[];
  /** It deletes ignored files, too, or files that nobody can tell before it runs. */
  readonly takesIgnored: boolean;
  /** Among its words is one that is only known where somebody looks into the folder. */
  readonly hasPatterns: boolean;
  /** What it takes away and no capture can hold, in words. */
  readonly beyond: readonly string[];
}

/** Of what a variable or another program names nobody can tell before it runs whether it was held. */
export const UNNAMED = "all that only the shell can name";

export const NOTHING_NAMED = { places: [], takesIgnored: false, hasPatterns: false, beyond: [] } as const;
export const ANYTHING = { places: [], takesIgnored: true, hasPatterns: false, beyond: [UNNAMED] } as const;

export const has = (args: readonly CommandWord[], flag: RegExp): boolean =>
  args.some(({ text }) => flag.test(text));

/** What is no flag, nor what one of these takes; behind `--` everything. */
export function operands(args: readonly CommandWord[], takes: RegExp = /(?!)/u): readonly CommandWord[] {
  const end = args.findIndex(({ text }) => text === "--");
  const before = end === -1 ? args : args.slice(0, end);
  const own = before.filter(
    ({ text }, at) => !text.startsWith("-") && !(at > 0 && takes.test(before[at - 1]?.text ?? "")),
  );
  return [...own, ...(end === -1 ? [] : args.slice(end + 1))];
}

/** Patterns that the holder does not read, or not as every shell would: ranges, classes, somebody's home, any depth outside. */
const UNREAD = /\{[^{}]*\.\.[^{}]*\}|\{\}|\[[.:=]|^~[^/]|(?:^[/~]|\.\.\/).*\*\*/u;

const isUnnamed = ({ text, isPlain, hasSubstitution }: CommandWord): boolean =>
  !isPlain && (hasSubstitution || !/[*?[{~]/u.test(text) || UNREAD.test(text));

export function taken(words: readonly CommandWord[]): TakenWords {
  const isUnclear = words.some(({ isPlain }) => !isPlain);
  return {
    places: words.flatMap(({ text, isPlain }) => (isPlain ? [text] : [])),
    takesIgnored: isUnclear,
    hasPatterns: isUnclear,
    beyond: words.some(isUnnamed) ? [UNNAMED] : [],
  };
}

/** Of a program that has to be given something: where that is not written, another program gives it. */
export const takenOrFed = (words: readonly CommandWord[]): TakenWords =>
  words.length === 0 ? ANYTHING : taken(words);

/** Into these it goes before it begins. A home is all that the holder reads there. */
export const entered = (words: readonly CommandWord[]): TakenWords => {
  const all = taken(words);
  const isRead = words.every(({ text, isPlain, hasSubstitution }) =>
    isPlain ? true : !hasSubstitution && /^~(?:\/[^*?[{]*)?$/u.test(text),
  );
  return isRead ? all : { ...all, beyond: [UNNAMED] };
};

export const together = (...all: readonly TakenWords[]): TakenWords => ({
  places: all.flatMap(({ places }) => places),
  takesIgnored: all.some(({ takesIgnored }) => takesIgnored),
  hasPatterns: all.some(({ hasPatterns }) => hasPatterns),
  beyond: [...new Set(all.flatMap(({ beyond }) => beyond))],
});

/** The values of a flag, written behind it or with it in one word. */
export function valuesOf(
  args: readonly CommandWord[],
  alone: RegExp,
  attached: RegExp,
): readonly CommandWord[] {
  return args.flatMap((word, at) => {
    const next = args[at + 1];
    if (alone.test(word.text)) return next === undefined ? [] : [next];
    const value = attached.exec(word.text)?.[1];
    return value === undefined ? [] : [{ ...word, text: value }];
  });
}
