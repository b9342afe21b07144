/** `undo [--plan P]`: takes the newest act back, or the one named. Last in, first out per path (DESIGN 15). */
import { undoMeant, undoPlan } from "../../../app/acts/undo.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { type CommandInput, textOption } from "../../grammar/options.ts";
import { actHow, tellAct } from "../plans/act.ts";
import { runUndoOrder } from "./undo-order.ts";
import { runUndoRemoval } from "./undo-removal.ts";

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const meant = await undoMeant(context, textOption(input, "plan"));
  switch (meant.kind) {
    case "order":
      return runUndoOrder(context, input, meant.plans);
    case "removal":
      return runUndoRemoval(context, input, meant);
    case "plan":
      return tellAct(context, input, await undoPlan(context, actHow(context, input), meant.plan));
    default:
      return meant satisfies never;
  }
}
