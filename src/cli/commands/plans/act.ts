/** What an acting command hands to the act it orders (DESIGN 10), and what it says of what came of it. */
import { type ActHow, type EndedAct, isShort, type PlannedAct } from "../../../app/acts/act.ts";
import { toldPlan } from "../../../app/acts/told-act.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import { confirmed, mayAct } from "../../context/confirm.ts";
import type { Context } from "../../context/context.ts";
import { teller } from "../../context/tell.ts";
import { watched } from "../../context/watched.ts";
import { type CommandInput, isSet } from "../../grammar/options.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { type ActView, actJson, doneLines, planLines } from "./act-view.ts";

export function actHow(context: Context, input: CommandInput): ActHow {
  return {
    isDryRun: isSet(input, "dryRun"),
    mayAct: mayAct(context),
    ask: asks(context, input.words.join("-")),
    progress: watched(context),
    tell: teller(context),
  };
}

/** Throws E_NEEDS_YES, with the plan in it, where nobody can be asked. */
export const asks =
  (context: Context, command: string): ActHow["ask"] =>
  async (planned) => {
    const view = viewOf(context, command, planned);
    const plan = { json: { ...toldPlan(view) }, text: () => planLines(context, view) };
    return (await confirmed(context, plan)) ? "yes" : "no";
  };

const viewOf = (context: Context, command: string, act: PlannedAct): ActView => ({
  command,
  ...act,
  commit: null,
  typed: context.out.typed,
});

/** What came of an act, for the screen and for JSON; null: it was refused. */
export function endedView(
  context: Context,
  command: string,
  ended: Exclude<EndedAct, { kind: "refused" }>,
): ActView {
  switch (ended.kind) {
    case "nothing":
      return {
        ...viewOf(context, command, ended),
        isNothing: !isShort(ended.compiled, ended.outcome),
      };
    case "planned":
    case "declined":
      return viewOf(context, command, ended);
    case "done": {
      const { kind: _, ...done } = ended;
      return { command, ...done, typed: context.out.typed };
    }
    default:
      return ended satisfies never;
  }
}

/** Lines of what came of it, or of what would. */
export const endedLines = (context: Context, kind: EndedAct["kind"], view: ActView): string[] =>
  kind === "planned" ? planLines(context, view) : doneLines(context, view);

export async function tellAct(context: Context, input: CommandInput, ended: EndedAct): Promise<CommandEnd> {
  if (ended.kind === "refused") throw ended.error;
  const { kind } = ended;
  const view = endedView(context, input.words.join("-"), ended);
  await context.out.result({
    command: view.command,
    json: actJson(view),
    text: () => (kind === "declined" ? ["Nothing was changed."] : endedLines(context, kind, view)),
  });
  if (kind === "declined") return EXIT.failed;
  return kind !== "planned" && isShort(ended.compiled, ended.outcome) ? EXIT.attention : EXIT.done;
}
