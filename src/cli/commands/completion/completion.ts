/** `completion SHELL`: a script made from the same specs as the parser. */
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { completionScript, type Shell } from "../../grammar/completion-script.ts";
import { type CommandInput, textArgument } from "../../grammar/options.ts";
import { EXIT } from "../../screen/exit-code.ts";

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const shell = textArgument(input, 0) as Shell;
  const script = completionScript(shell, input.grammar);
  await context.out.result({
    command: "completion",
    json: { shell, script },
    text: () => [script.trimEnd()],
  });
  return EXIT.done;
}
