/** `redo`: does again what the last undo took back. */
import { compileRedo } from "../../../acts/compilers/undo.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import type { CommandInput } from "../../grammar/options.ts";
import { takeBack } from "./take-back.ts";

export function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  return takeBack(context, input, "redo", compileRedo);
}
