/** `acp -- CMD`: `run` for an agent that speaks ACP with the editor that starts us. stdout and stdin are theirs, byte for byte. */
import { basename } from "node:path";
import { acpOrder } from "../../../app/run/acp.ts";
import { loopSignals } from "../../../app/run/loop-signals.ts";
import { runHeard } from "../../../app/run/run.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { type CommandInput, listArgument, textOption, usage } from "../../grammar/options.ts";
import { reportError } from "../../screen/report-error.ts";
import { runFace } from "../run/run-face.ts";
import { exitCodeOfOurs, plainly } from "../run/run-plainly.ts";

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const command = listArgument(input, 0);
  if (context.env.REFLOAT_OFF === "1") return { code: await plainly(context, command) };
  const signals = loopSignals();
  try {
    const agent = textOption(input, "agent") ?? basename(command[0] ?? "");
    if (agent.trim() === "") throw usage("--agent wants a name.");
    const { place, flags } = context;
    const order = await acpOrder(context, { command, place: place(), store: flags.store, agent });
    const { exitCode } = await runHeard(context, order, runFace(context), signals);
    return { code: exitCode };
  } catch (thrown) {
    return { code: exitCodeOfOurs(await reportError(thrown, context.out, input.words)) };
  } finally {
    signals.stop();
  }
}
