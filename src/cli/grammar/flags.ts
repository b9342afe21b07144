/** The flags every command takes (DESIGN 10), read once. */

import type { ColorWhen } from "../screen/style.ts";
import type { ParsedOptions } from "./options.ts";

export interface Flags {
  readonly directory: string | null;
  readonly isJson: boolean;
  readonly store: string | null;
  readonly isYes: boolean;
  /** False with --no-input: nobody is asked anything. */
  readonly mayAsk: boolean;
  readonly isQuiet: boolean;
  readonly color: ColorWhen;
}

export function flagsOf(options: ParsedOptions): Flags {
  const { C, store, color } = options;
  return {
    directory: typeof C === "string" ? C : null,
    isJson: options.json === true,
    store: typeof store === "string" ? store : null,
    isYes: options.yes === true,
    mayAsk: options.input !== false,
    isQuiet: options.quiet === true,
    color: color === "always" || color === "never" ? color : "auto",
  };
}

/** For errors found before the flags could be read: whoever typed --json gets the error as JSON. */
export function flagsBeforeParsing(argv: readonly string[]): Flags {
  const end = argv.indexOf("--");
  const typed = end === -1 ? argv : argv.slice(0, end);
  return flagsOf({ json: typed.includes("--json"), quiet: typed.includes("--quiet") });
}
