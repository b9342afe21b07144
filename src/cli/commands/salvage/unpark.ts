/** `unpark NAME`: brings a parked group back: its bytes into the tree, what was staged of it into the index. Undoable. */
import { unpark } from "../../../app/acts/unpark.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { type CommandInput, textArgument } from "../../grammar/options.ts";
import { actHow, tellAct } from "../plans/act.ts";

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const name = textArgument(input, 0) ?? "";
  return tellAct(context, input, await unpark(context, actHow(context, input), name));
}
