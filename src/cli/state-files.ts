/** The state files a command was given, or those of the folder it was started in. */
import { resolve } from "node:path";
import { RefloatError } from "../model/errors.ts";
import { findStateFiles, stateFileAt } from "../workflow/state-paths.ts";
import type { Context } from "./context.ts";
import { type CommandInput, listArgument } from "./options.ts";

export function filesOf(context: Context, input: CommandInput): readonly string[] {
  // With -C a name means something else where somebody stands: commands about it name it in full (T6).
  const { directory } = context.flags;
  const named = listArgument(input, 0)
    .map(stateFileAt)
    .map((path) => (directory === null ? path : resolve(path)));
  const files = named.length > 0 ? named : findStateFiles(context.workspace());
  if (files.length === 0) throw new RefloatError("E_NO_STATE", { folder: context.workspace() });
  return files;
}
