/** `claim keep`: renews a step's claim by a timer, in the store and in the file, until it is stopped or the claim is gone. */
import { HEARTBEAT_INTERVAL_MS, MAX_STEP_PAUSE_MS } from "../../../model/limits.ts";
import { claimOwner } from "../../../workflow/claim-owner.ts";
import { beat } from "../../../workflow/step-acts.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { type CommandInput, countOption, textArgument, textOption } from "../../grammar/options.ts";
import { oneLine } from "../../screen/words.ts";
import { oneFile } from "./state-files.ts";

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const step = textArgument(input, 0) ?? "";
  const file = await oneFile(context, textOption(input, "file"));
  const owner = claimOwner(process.env.REFLOAT_SESSION, textOption(input, "owner"));
  const everyMs =
    (countOption(input, "every", MAX_STEP_PAUSE_MS / 1000) ?? HEARTBEAT_INTERVAL_MS / 1000) * 1000;
  const store = await context.openOrMakeStore();
  const stopped = new AbortController();
  let signal: NodeJS.Signals | null = null;
  for (const name of ["SIGINT", "SIGTERM"] as const) {
    process.once(name, () => {
      signal = name;
      stopped.abort();
    });
  }
  let isSaid = false;
  while (signal === null) {
    const { pauseMs } = await beat(store.raw, file, step, owner, everyMs);
    if (!isSaid) context.out.narrate(`Step ${oneLine(step)} is kept for ${oneLine(owner.instance)}.`);
    isSaid = true;
    await context.clock.sleep(pauseMs, stopped.signal).catch(() => undefined);
  }
  return { signal };
}
