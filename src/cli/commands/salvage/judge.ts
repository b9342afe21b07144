/** `judge G VERDICT --reason R`: the user's own verdict, remembered per path and content, in the store (T2). */

import { giveVerdict } from "../../../app/salvage/judge.ts";
import { type Verdict, verdict } from "../../../model/manifest.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { type CommandInput, textArgument, textOption, usage } from "../../grammar/options.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { hanging } from "../../screen/hanging.ts";
import { count, oneLine } from "../../screen/words.ts";
import { salvageFace } from "./salvage-here.ts";

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const given: Verdict = verdict.parse(textArgument(input, 1));
  const reason = textOption(input, "reason")?.trim() ?? "";
  if (reason === "") throw usage("A verdict needs a reason: add --reason WHY; it is recorded.");
  const order = { group: textArgument(input, 0) ?? "", verdict: given, reason };
  const { group, by } = await giveVerdict(context, order, salvageFace(context));
  const { id, changes } = group;
  await context.out.result({
    command: "judge",
    json: { group: id, verdict: given, was: group.verdict, reason, by },
    text: () =>
      hanging(
        `${id} is ${given} by your word (${count(changes.length, "change")}): ${oneLine(reason)}`,
        "  ",
        context.out.columns,
      ),
  });
  return EXIT.done;
}
