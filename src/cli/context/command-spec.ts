/** A command: its words and flags (command-grammar.ts) and what it does, which is loaded when it is run. */

import type { CommandShape } from "../grammar/command-grammar.ts";
import type { CommandInput } from "../grammar/options.ts";
import type { ExitCode } from "../screen/exit-code.ts";
import type { Context } from "./context.ts";

/** A command that was stopped by a signal ends by that signal, once everything is closed. */
export type CommandEnd = ExitCode | { readonly signal: NodeJS.Signals } | OtherCode;

/** Of `run`: the agent's own code, whatever it is, or one that only `run` has. */
export interface OtherCode {
  readonly code: number;
}
export type RunCommand = (context: Context, input: CommandInput) => Promise<CommandEnd>;

export interface CommandSpec extends CommandShape {
  readonly load: () => Promise<{ readonly run: RunCommand }>;
}
