/** `state init`: a new state file with its companion; never over another. */
import { existsSync } from "node:fs";
import { extname, join } from "node:path";
import { STATE_FILE } from "../../workflow/definition.ts";
import { initState } from "../../workflow/file-acts.ts";
import { stateFileAt } from "../../workflow/state-paths.ts";
import type { Ending } from "../command-spec.ts";
import type { Context } from "../context.ts";
import { EXIT } from "../exit-code.ts";
import { type CommandInput, textArgument, textOption } from "../options.ts";
import { oneLine } from "../words.ts";

export async function run(context: Context, input: CommandInput): Promise<Ending> {
  const store = await context.openOrMakeStore();
  const { path } = await initState(store.raw, newStateFile(context, textArgument(input, 0)), {
    project: textOption(input, "project"),
    region: textOption(input, "region") ?? "",
    branch: textOption(input, "branch") ?? "main",
    version: textOption(input, "to") === "3.0" ? "3.0" : "2.0",
  });
  await context.out.result({
    command: "state-init",
    json: { path },
    text: () => [
      `${oneLine(path)} and its handoff are written.`,
      context.out.typed("Next: refloat step start 1"),
    ],
  });
  return EXIT.done;
}

/** A path without `.json` is a folder, also one that is not there yet. */
export function newStateFile(context: Context, typed: string | null): string {
  if (typed === null) return join(context.workspace(), STATE_FILE);
  return existsSync(typed) || extname(typed) === ".json" ? stateFileAt(typed) : join(typed, STATE_FILE);
}
