/** `decisions`: the log of the state file, whichever of the four shapes its entries have. */
import { decisionsIn } from "../../workflow/decision-log.ts";
import { theStateFile } from "../../workflow/state-paths.ts";
import type { Ending } from "../command-spec.ts";
import type { Context } from "../context.ts";
import { EXIT } from "../exit-code.ts";
import { type CommandInput, textOption } from "../options.ts";
import { readState } from "../read-state.ts";
import { oneLine } from "../words.ts";

export async function run(context: Context, input: CommandInput): Promise<Ending> {
  const file = theStateFile(context.workspace(), textOption(input, "file"));
  const decisions = decisionsIn(readState(file)).flatMap((one) => (one ? [one] : []));
  await context.out.result({
    command: "decisions",
    json: { file, decisions },
    text: () =>
      decisions.length === 0
        ? ["Nothing was decided yet."]
        : decisions.flatMap(({ step, key, value, reason }) => {
            const said =
              value === key
                ? oneLine(key)
                : `${oneLine(key)}: ${oneLine(typeof value === "string" ? value : JSON.stringify(value))}`;
            return [
              `${step === null ? "" : `step ${oneLine(step)}  `}${said}`,
              ...(reason === null ? [] : [`  ${oneLine(reason)}`]),
            ];
          }),
  });
  return EXIT.done;
}
