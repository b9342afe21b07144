/** `handoff [ID] [--budget TOKENS]`: the brief for whoever goes on, as Markdown, or as JSON with the same facts. */
import { briefHere } from "../../../app/handoff/session-brief.ts";
import { noSessionHere } from "../../../app/sessions/find-session.ts";
import { MAX_BUDGET_TOKENS, MIN_BUDGET_TOKENS } from "../../../model/limits.ts";
import { tellAbout } from "../../context/about.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { type CommandInput, countOption, textArgument, usage } from "../../grammar/options.ts";
import { EXIT } from "../../screen/exit-code.ts";

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const asked = countOption(input, "budget", MAX_BUDGET_TOKENS);
  if (asked !== null && asked < MIN_BUDGET_TOKENS)
    throw usage(`--budget wants at least ${MIN_BUDGET_TOKENS} tokens: a smaller brief would say nothing.`);
  const session = textArgument(input, 0);
  const told = await briefHere(
    context,
    { session, budget: asked },
    { typed: context.out.typed, onWorkspace: (root) => tellAbout(context, root) },
  );
  if (!told) throw await noSessionHere(context);
  const { facts, brief } = told;
  const { markdown, left_out, budget, tokens, facts: shown } = brief;
  await context.out.result({
    command: "handoff",
    json: { session: { ...facts.session }, base: facts.base, budget, tokens, ...shown, left_out, markdown },
    text: () => [markdown.trimEnd()],
  });
  return EXIT.done;
}
