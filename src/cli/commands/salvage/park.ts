/** `park [ID] (--group G... | --safe | --all | [--] PATH...)`: takes groups out of the tree into the store, under a name. */
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { sessionAndPaths } from "../../context/session-and-paths.ts";
import { type CommandInput, listArgument } from "../../grammar/options.ts";
import { assertSelected, runSettle } from "./settle-run.ts";

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const typed = await sessionAndPaths(context, listArgument(input, 0));
  assertSelected(input, typed.paths, "park");
  return runSettle(context, input, { ...typed, does: { kind: "park" } });
}
