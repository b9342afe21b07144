/**
 * `settle [ID]`: commit what is safe, park what is risky, leave what nobody can tell; by another policy otherwise. At a
 * terminal, where no policy was typed, group by group with keys. One plan, one undo.
 */
import { actsByPolicy, type Policy, withoutFirstCommit } from "../../../salvage/settle/policy.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { type CommandInput, isSet, textArgument, textOption } from "../../grammar/options.ts";
import { settleRepo } from "./settle-repo.ts";
import { runSettle, type SettleRun } from "./settle-run.ts";

export function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const typed = textOption(input, "policy") as Policy | null;
  const settle: SettleRun = {
    act: "settle",
    session: textArgument(input, 0),
    paths: [],
    stopsLeftovers: true,
    ...(typed === null ? { reviewedBy: (config) => config.policy ?? "default" } : {}),
    decide: (chosen, found, config) => {
      const groups = chosen.map(({ group }) => group);
      const named = new Set(chosen.filter(({ isNamed }) => isNamed).map(({ group }) => group.id));
      const acts = actsByPolicy(groups, typed ?? config.policy ?? "default");
      return withoutFirstCommit(acts, found.owned.now.reading.head, named);
    },
  };
  return isSet(input, "repo") ? settleRepo(context, input, settle) : runSettle(context, input, settle);
}
