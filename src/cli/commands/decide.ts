/** `decide`: a decision in the file and in the journal, in one step; without a value it shows what was decided. */
import { objectOf, own } from "../../workflow/state-doc.ts";
import { theStateFile } from "../../workflow/state-paths.ts";
import { decide } from "../../workflow/step-acts.ts";
import type { Ending } from "../command-spec.ts";
import type { Context } from "../context.ts";
import { EXIT } from "../exit-code.ts";
import { type CommandInput, textArgument, textOption } from "../options.ts";
import { readState } from "../read-state.ts";
import { oneLine } from "../words.ts";

export async function run(context: Context, input: CommandInput): Promise<Ending> {
  const file = theStateFile(context.workspace(), textOption(input, "file"));
  const key = textArgument(input, 0) ?? "";
  const value = textArgument(input, 1);
  if (value === null) return show(context, file, key);
  const store = await context.openOrMakeStore();
  const made = await decide(store.raw, file, {
    key,
    value,
    reason: textOption(input, "reason"),
    step: textOption(input, "step"),
  });
  await context.out.result({
    command: "decide",
    json: { file, ...made },
    text: () => [
      `${oneLine(key)} is ${oneLine(value)}${made.step === null ? "" : `, decided in step ${made.step}`}.`,
    ],
  });
  return EXIT.done;
}

async function show(context: Context, file: string, key: string): Promise<Ending> {
  const value = own(objectOf(own(readState(file), "decisions")), key) ?? null;
  await context.out.result({
    command: "decide",
    json: { file, key, value },
    text: () => [
      value === null
        ? `${oneLine(key)} is not decided.`
        : oneLine(typeof value === "string" ? value : JSON.stringify(value)),
    ],
  });
  return value === null ? EXIT.failed : EXIT.done;
}
