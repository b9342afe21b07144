/** `handoff [ID] [--budget TOKENS]`: the brief for whoever goes on, as Markdown, or as JSON with the same facts. */

import { briefOf, type WrittenBrief } from "../../../app/handoff/session-brief.ts";
import { chooseSession } from "../../../app/sessions/choose-session.ts";
import { findSession, newestHere } from "../../../app/sessions/find-session.ts";
import { MAX_BUDGET_TOKENS, MIN_BUDGET_TOKENS } from "../../../handoff/write-brief.ts";
import { RefloatError } from "../../../model/errors.ts";
import { tellAbout } from "../../context/about.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { type CommandInput, countOption, textArgument, usage } from "../../grammar/options.ts";
import { EXIT } from "../../screen/exit-code.ts";

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const asked = countOption(input, "budget", MAX_BUDGET_TOKENS);
  if (asked !== null && asked < MIN_BUDGET_TOKENS)
    throw usage(`--budget wants at least ${MIN_BUDGET_TOKENS} tokens: a smaller brief would say nothing.`);
  const { facts, brief } = await briefHere(context, textArgument(input, 0), asked);
  const { markdown, left_out, budget, tokens, facts: shown } = brief;
  await context.out.result({
    command: "handoff",
    json: { session: { ...facts.session }, base: facts.base, budget, tokens, ...shown, left_out, markdown },
    text: () => [markdown.trimEnd()],
  });
  return EXIT.done;
}

/** Left out, and none was recorded here: what the tree tells (S1); where that is nothing, too, there is none to tell of. */
async function briefHere(
  context: Context,
  typed: string | null,
  budget: number | null,
): Promise<WrittenBrief> {
  const looking = {
    clock: context.clock,
    env: process.env,
    home: await context.home(),
    stands: context.place(),
    typed: context.out.typed,
    onWorkspace: (root: string) => tellAbout(context, root),
  };
  const newest = typed === null ? await newestHere(context) : null;
  if (typed === null && !newest) {
    const { store, here, rows } = await chooseSession(context, null);
    const { workspace } = here;
    const implied = await briefOf({ kind: "implied", store, workspace, rows }, looking, budget);
    if (implied) return implied;
  }
  const { store, row } = newest ?? (await findSession(context, typed));
  const told = await briefOf({ kind: "session", store, row }, looking, budget);
  if (!told) throw new RefloatError("E_NO_SESSION", { what: row.id });
  return told;
}
