/** `completion SHELL`: a script made from the same specs as the parser. */
import type { Ending } from "../command-spec.ts";
import { completionScript, type Shell } from "../completion-script.ts";
import type { Context } from "../context.ts";
import { EXIT } from "../exit-code.ts";
import { type CommandInput, textArgument } from "../options.ts";

export async function run(context: Context, input: CommandInput): Promise<Ending> {
  const shell = textArgument(input, 0) as Shell;
  const script = completionScript(shell, input.grammar);
  await context.out.result({
    command: "completion",
    json: { shell, script },
    text: () => [script.trimEnd()],
  });
  return EXIT.done;
}
