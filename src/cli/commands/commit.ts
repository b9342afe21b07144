/** `commit [ID] (--group G... | --safe | --all | [--] PATH...) [-m]`: commits groups, whole, in one commit. */
import type { Ending } from "../command-spec.ts";
import type { Context } from "../context.ts";
import { type CommandInput, listArgument } from "../options.ts";
import { sessionAndPaths } from "../session-and-paths.ts";
import { assertSelected, runSettle } from "../settle-run.ts";

export async function run(context: Context, input: CommandInput): Promise<Ending> {
  const typed = await sessionAndPaths(context, listArgument(input, 0));
  assertSelected(input, typed.paths, "commit");
  return runSettle(context, input, {
    ...typed,
    act: "commit",
    stopsLeftovers: false,
    decide: (chosen) => chosen.map(({ group }) => ({ group, act: "commit", why: null })),
  });
}
