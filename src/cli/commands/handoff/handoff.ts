/** `handoff [ID] [--budget TOKENS]`: the brief for whoever goes on, as Markdown, or as JSON with the same facts. */

import { handoffBudget } from "../../../app/handoff/budget.ts";
import { type SessionBrief, sessionBrief } from "../../../app/handoff/session-brief.ts";
import { findSession, newestHere } from "../../../app/sessions/find-session.ts";
import { MAX_BUDGET_TOKENS, MIN_BUDGET_TOKENS, writeBrief } from "../../../handoff/write-brief.ts";
import { tellAbout } from "../../context/about.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { type CommandInput, countOption, textArgument, usage } from "../../grammar/options.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { impliedBrief } from "./implied-brief.ts";

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const asked = countOption(input, "budget", MAX_BUDGET_TOKENS);
  if (asked !== null && asked < MIN_BUDGET_TOKENS)
    throw usage(`--budget wants at least ${MIN_BUDGET_TOKENS} tokens: a smaller brief would say nothing.`);
  const { facts, workspace } = await briefOf(context, textArgument(input, 0));
  const budget = asked ?? (await handoffBudget(workspace, process.env));
  const { markdown, left_out, tokens, facts: shown } = writeBrief(facts, budget);
  await context.out.result({
    command: "handoff",
    json: { session: { ...facts.session }, base: facts.base, budget, tokens, ...shown, left_out, markdown },
    text: () => [markdown.trimEnd()],
  });
  return EXIT.done;
}

/** Left out, and none was recorded here: what the tree tells (S1); where that is nothing, too, there is none to tell of. */
async function briefOf(context: Context, typed: string | null): Promise<SessionBrief> {
  const newest = typed === null ? await newestHere(context) : null;
  const implied = typed === null && !newest ? await impliedBrief(context) : null;
  if (implied) return implied;
  const { store, row } = newest ?? (await findSession(context, typed));
  return sessionBrief(store, row, {
    clock: context.clock,
    env: process.env,
    home: await context.home(),
    typed: context.out.typed,
    onWorkspace: (root: string) => tellAbout(context, root),
  });
}
