/**
 * What is printed to be typed can be typed as it stands, where it is printed (T6): a command about another workspace names it with
 * -C, and one about a store that was given by a flag names that, too. Pure. Only for sentences of our own: what somebody
 * else wrote is shown as it was written.
 */
import { shellWord } from "./escape.ts";

export interface TypingContext {
  /** The top of the workspace it is about, where that is not the one somebody stands in. */
  readonly about: string | null;
  /** -C as it was typed: where he stands is not where the command works. */
  readonly directory: string | null;
  /** --store as it can be typed from anywhere. */
  readonly store: string | null;
}

/** The program with whatever makes the rest mean the same there. */
export function programTyped({ about, directory, store }: TypingContext): string {
  const place = about ?? directory;
  return [
    "refloat",
    ...(place === null ? [] : ["-C", shellWord(place)]),
    ...(store === null ? [] : ["--store", shellWord(store)]),
  ].join(" ");
}

/** A command begins a text, stands in marks, or follows a colon, a bracket or a space; a word of it follows. */
const COMMAND = /(^|[\s`(])refloat (?=[a-z])/g;

export const asTyped = (text: string, program: string): string =>
  program === "refloat" ? text : text.replace(COMMAND, (_, before: string) => `${before}${program} `);
