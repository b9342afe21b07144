/** `redo`: does again what the last undo took back. */
import { redo } from "../../../app/acts/undo.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import type { CommandInput } from "../../grammar/options.ts";
import { actHow, tellAct } from "../plans/act.ts";

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  return tellAct(context, input, await redo(context, actHow(context, input)));
}
