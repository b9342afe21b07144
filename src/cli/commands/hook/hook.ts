/** `hook EVENT [AGENT]`: the part of a hook that a shell cannot do. Nothing but its one line goes to stdout, and nothing to stderr. */
import { text } from "node:stream/consumers";
import { captureBefore } from "../../../app/agents/capture-before.ts";
import { ensureError } from "../../../model/errors.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { type CommandInput, textArgument } from "../../grammar/options.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { oneLine } from "../../screen/words.ts";

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  if (textArgument(input, 0) !== "capture") return EXIT.done;
  const line = await lineOf(context, textArgument(input, 1) ?? "unknown");
  if (line !== null) await context.out.write(`${line}\n`);
  return EXIT.done;
}

async function lineOf(context: Context, agent: string): Promise<string | null> {
  try {
    const payload = await text(process.stdin);
    const outcome = await captureBefore(context, { agent, payload });
    switch (outcome.kind) {
      case "harmless":
        return null;
      case "held":
        return `capture ${outcome.captures[0] ?? ""}`;
      case "not-held":
        return `no-before-image ${oneLine(outcome.reason)}`;
    }
  } catch (thrown) {
    // T1: it is said where it will be read; the agent's call is not ours to stop.
    return `no-before-image ${oneLine(ensureError(thrown).message)}`;
  }
}
