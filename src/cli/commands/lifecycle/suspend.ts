/** `suspend ID`: nothing resumes it by itself until `lift` (app/sessions/suspension.ts). */
import { suspendSession } from "../../../app/sessions/suspension.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { type CommandInput, textArgument, textOption } from "../../grammar/options.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { typedId } from "../../screen/typed-id.ts";

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const suspended = await suspendSession(context, textArgument(input, 0), textOption(input, "reason"));
  const { store, summary, isNew } = suspended;
  const { dim } = context.out.style;
  const typed = await typedId(store, summary.id);
  await context.out.result({
    command: "suspend",
    json: { session: summary.id, state: summary.state, suspended: true, done: isNew },
    text: () => [
      isNew ? `Session ${typed} is suspended.` : `Session ${typed} was suspended already.`,
      ...(summary.state === "live" ? ["It goes on until it ends; nothing resumes it after that."] : []),
      dim(context.out.typed(`To end that: refloat lift ${typed}`)),
    ],
  });
  return EXIT.done;
}
