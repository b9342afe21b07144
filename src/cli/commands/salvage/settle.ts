/**
 * `settle [ID]`: commit what is safe, park what is risky, leave what nobody can tell; by another policy otherwise. At a
 * terminal, where no policy was typed, group by group with keys. One plan, one undo.
 */
import type { Policy } from "../../../salvage/settle/policy.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { type CommandInput, isSet, textArgument, textOption } from "../../grammar/options.ts";
import { runSettleRepo } from "./settle-repo.ts";
import { runSettle, type TypedSettle } from "./settle-run.ts";

export function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const typed: TypedSettle = {
    does: { kind: "settle", policy: textOption(input, "policy") as Policy | null },
    session: textArgument(input, 0),
    paths: [],
    stopsLeftovers: true,
  };
  return isSet(input, "repo") ? runSettleRepo(context, input, typed) : runSettle(context, input, typed);
}
