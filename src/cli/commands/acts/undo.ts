/** `undo [--plan P]`: takes the newest act back, or the one named. Last in, first out per path (DESIGN 15). */
import { compileUndo } from "../../../acts/compilers/undo.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { type CommandInput, textOption } from "../../grammar/options.ts";
import { planNamed, takeBack } from "./take-back.ts";
import { undoOrder } from "./undo-order.ts";
import { undoRemoval } from "./undo-removal.ts";

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  return (await undoOrder(context, input, undoOne)) ?? undoOne(context, input);
}

async function undoOne(context: Context, input: CommandInput): Promise<CommandEnd> {
  const removal = await undoRemoval(context, input);
  if (removal !== null) return removal;
  const typed = textOption(input, "plan");
  return takeBack(
    context,
    input,
    "undo",
    (history, plans) => compileUndo(history, typed === null ? null : planNamed(typed, plans)),
    typed,
  );
}
