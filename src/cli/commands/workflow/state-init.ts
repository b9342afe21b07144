/** `state init`: a new state file with its companion; never over another, nor in the place of one that is gone unless told. */
import { join } from "node:path";
import { STATE_FILE } from "../../../workflow/definition.ts";
import { initState } from "../../../workflow/file-acts.ts";
import { DEFAULT_BRANCH } from "../../../workflow/new-state.ts";
import { stateFileAt } from "../../../workflow/state-paths.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { type CommandInput, isSet, textArgument, textOption } from "../../grammar/options.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { oneLine } from "../../screen/words.ts";

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const store = await context.openOrMakeStore();
  const { path, kept } = await initState(store.raw, newStateFile(context, textArgument(input, 0)), {
    project: textOption(input, "project"),
    region: textOption(input, "region") ?? "",
    branch: textOption(input, "branch") ?? DEFAULT_BRANCH,
    version: textOption(input, "to") === "3.0" ? "3.0" : "2.0",
    isFresh: isSet(input, "fresh"),
  });
  await context.out.result({
    command: "state-init",
    json: { path, kept_handoff: kept },
    text: () => [
      `${oneLine(path)} and its handoff are written.`,
      ...(kept === null ? [] : [`The handoff that was there is kept: ${oneLine(kept)}`]),
      context.out.typed("Next: refloat step start 1"),
    ],
  });
  return EXIT.done;
}

export const newStateFile = (context: Context, typed: string | null): string =>
  typed === null ? join(context.place(), STATE_FILE) : stateFileAt(typed);
