/** The state files a command was given, or those of the folder it was started in. */
import { RefloatError } from "../model/errors.ts";
import { findStateFiles, stateFileAt } from "../workflow/state-paths.ts";
import type { Context } from "./context.ts";
import { type CommandInput, listArgument } from "./options.ts";

export function filesOf(context: Context, input: CommandInput): readonly string[] {
  const named = listArgument(input, 0).map(stateFileAt);
  const files = named.length > 0 ? named : findStateFiles(context.workspace());
  if (files.length === 0) throw new RefloatError("E_NO_STATE", { folder: context.workspace() });
  return files;
}
