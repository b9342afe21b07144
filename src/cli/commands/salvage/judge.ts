/** `judge G VERDICT --reason R`: the user's own verdict, remembered per path and content, in the store (T2). */

import { chooseSession } from "../../../app/sessions/choose-session.ts";
import { RefloatError } from "../../../model/errors.ts";
import { type Verdict, verdict } from "../../../model/manifest.ts";
import { recordVerdict } from "../../../salvage/judging/verdict-records.ts";
import { chooseGroups } from "../../../salvage/settle/choose-groups.ts";
import { judgedSession } from "../../../workspace/trust/judged-session.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { type CommandInput, textArgument, textOption, usage } from "../../grammar/options.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { hanging } from "../../screen/hanging.ts";
import { count, oneLine } from "../../screen/words.ts";
import { salvageHere } from "./salvage-here.ts";

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const given: Verdict = verdict.parse(textArgument(input, 1));
  const reason = textOption(input, "reason")?.trim() ?? "";
  if (reason === "") throw usage("A verdict needs a reason: add --reason WHY; it is recorded.");
  const store = await context.openOrMakeStore();
  const { here, found } = await salvageHere(context, await chooseSession(context, null));
  const marked = await judgedSession(here.env, store.raw);
  // Under any session's mark: an agent judges nobody's work, its own least of all.
  if (marked !== null) throw new RefloatError("E_UNDER_MARK", { session: marked, what: "give a verdict" });
  const ids = [textArgument(input, 0) ?? ""];
  const [chosen] = chooseGroups(found.groups, {
    ids,
    paths: [],
    isSafe: false,
    isAll: false,
    isAdopted: false,
  });
  if (!chosen) throw new RefloatError("E_NO_GROUP", { what: ids[0] });
  const by = process.env.USER ?? "user";
  await recordVerdict(store.raw, here.workspace, chosen.group, { verdict: given, reason, by });
  const { id, changes } = chosen.group;
  await context.out.result({
    command: "judge",
    json: { group: id, verdict: given, was: chosen.group.verdict, reason, by },
    text: () =>
      hanging(
        `${id} is ${given} by your word (${count(changes.length, "change")}): ${oneLine(reason)}`,
        "  ",
        context.out.columns,
      ),
  });
  return EXIT.done;
}
