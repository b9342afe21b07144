/**
 * `commit [ID] (--group G... | --safe | --all | --ended | [--] PATH...) [-m]`: commits groups, whole, in one commit. With
 * --ended what ended operations left, while the session goes on: what a supervisor does as it goes (docs/run.md).
 */
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { sessionAndPaths } from "../../context/session-and-paths.ts";
import { type CommandInput, isSet, listArgument, usage } from "../../grammar/options.ts";
import { assertSelected, isChosen, runSettle } from "./settle-run.ts";

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const typed = await sessionAndPaths(context, listArgument(input, 0));
  const isOfEnded = isSet(input, "ended");
  if (!isOfEnded) assertSelected(input, typed.paths, "commit");
  else if (isChosen(input, typed.paths))
    throw usage("--ended means what ended operations left, nothing else.");
  return runSettle(context, input, { ...typed, does: { kind: "commit" }, isOfEnded });
}
