/** `state import`: a state file of any version, or an export, as a new state file. */
import { RefloatError } from "../../../model/errors.ts";
import { isJsonObject } from "../../../model/json.ts";
import { importState } from "../../../workflow/import-state.ts";
import { own } from "../../../workflow/state-doc.ts";
import { stateFileAt } from "../../../workflow/state-paths.ts";
import { parseState } from "../../../workflow/validate.ts";
import { readText } from "../../../workflow/validate-files.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { type CommandInput, isSet, textArgument, textOption } from "../../grammar/options.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { count, oneLine } from "../../screen/words.ts";
import { newStateFile } from "./state-init.ts";

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const from = stateFileAt(textArgument(input, 0) ?? "");
  const to = textOption(input, "to") === "3.0" ? "3.0" : "2.0";
  const given = stateIn(from);
  const store = await context.openOrMakeStore();
  const file = newStateFile(context, textArgument(input, 1));
  const isFresh = isSet(input, "fresh");
  const { path, decisions, freed, kept } = await importState(store.raw, file, given, { from, to, isFresh });
  await context.out.result({
    command: "state-import",
    json: { path, from, decisions, freed, kept_handoff: kept },
    text: () => [
      `${oneLine(path)} is written, with ${count(decisions, "decision")}.`,
      ...(kept === null ? [] : [`The handoff that was there is kept: ${oneLine(kept)}`]),
      ...freed.map(({ step, owner }) => `Step ${step} was held by ${oneLine(owner)} there; here it is free.`),
    ],
  });
  return EXIT.done;
}

function stateIn(from: string) {
  const read = readText(from);
  if (read.kind === "failed") throw new RefloatError("E_NO_FILE", { path: from, why: read.why });
  const parsed = parseState(read.text);
  if (parsed.kind === "broken") throw new RefloatError("E_STATE_DAMAGED", { path: from, why: parsed.why });
  const exported = own(parsed.value, "states");
  const first = Array.isArray(exported) ? own(exported[0], "state") : undefined;
  const state = first ?? parsed.value;
  if (!isJsonObject(state))
    throw new RefloatError("E_STATE_DAMAGED", { path: from, why: "It holds no state." });
  if (Array.isArray(exported) && exported.length > 1)
    throw new RefloatError("E_USAGE", {
      why: `${from} holds ${exported.length} states; export the one you mean.`,
    });
  return state;
}
