/** `unpark NAME`: brings a parked group back: its bytes into the tree, what was staged of it into the index. Undoable. */
import { compileUnpark } from "../../../acts/compilers/undo.ts";
import type { PlanDraft } from "../../../acts/plans/draft.ts";
import type { Plan } from "../../../acts/plans/plans.ts";
import { parkedInReach, parkedNamed } from "../../../app/acts/parked.ts";
import { type WorkspaceHere, workspaceHere } from "../../../app/place/workspace-here.ts";
import { RefloatError } from "../../../model/errors.ts";
import type { Store } from "../../../store/store.ts";
import { hashingSink } from "../../../workspace/files/contents-sink.ts";
import { readTree } from "../../../workspace/tree/read-tree.ts";
import { judgedAs } from "../../../workspace/trust/judged-session.ts";
import { isSameWork } from "../../../workspace/unsettled/held-unsettled.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { type CommandInput, isSet, textArgument } from "../../grammar/options.ts";
import { runAct } from "../plans/act.ts";

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const typed = textArgument(input, 0) ?? "";
  const store = await context.findStore();
  const here = await workspaceHere(context, store);
  if (!store) throw new RefloatError("E_NO_PARKED", { what: typed });
  return runAct(context, input, { store, here }, async () => {
    const { parked, plans } = await parkedInReach(store.raw, here.workspace);
    const one = parkedNamed(parked, typed);
    const marked = judgedAs(here.env, one.session);
    if (marked !== null && !isSet(input, "dryRun"))
      throw new RefloatError("E_UNDER_MARK", { session: marked, what: "bring back what was parked of it" });
    const plan = plans.find(({ id }) => id === one.plan) as Plan;
    const draft = compileUnpark(one, plan);
    const now = plan.isOfOtherTree ? await asHere(store.raw, here, draft) : { draft, notes: [] };
    return {
      ...now,
      leftAlone: [],
      title: `Bring ${one.name} back`,
      without: "Everything of it is there already: it is no longer parked.",
      word: "restore",
      commit: null,
    };
  });
}

/**
 * W8: in another tree of the repository the files are as its checkout wrote them: what git calls the same is expected as it is
 * here. What was staged is not: this index is another.
 */
async function asHere(
  store: Store,
  { workspace, env }: WorkspaceHere,
  draft: PlanDraft,
): Promise<{ draft: PlanDraft; notes: string[] }> {
  const paths = draft.puts.map(({ path }) => path);
  const { entries } = await readTree(workspace, hashingSink(), { env, clock: store.clock, paths });
  const now = new Map(entries.map(({ path, state }) => [path, state]));
  const puts = draft.puts.map((put) => {
    const found = now.get(put.path) ?? null;
    return isSameWork(put.expect, found) ? { ...put, expect: found } : put;
  });
  const wasStaged = (draft.index ?? []).length > 0;
  const notes = wasStaged ? ["It was parked in another tree: what was staged of it is not staged here."] : [];
  return { draft: { ...draft, puts, index: [] }, notes };
}
