/** Brings a parked group back: its bytes into the tree, what was staged of it into the index. Undoable. */
import { compileUnpark } from "../../acts/compilers/undo.ts";
import type { PlanDraft } from "../../acts/plans/draft.ts";
import type { Plan } from "../../acts/plans/plans.ts";
import { RefloatError } from "../../model/errors.ts";
import type { Store } from "../../store/store.ts";
import { hashingSink } from "../../workspace/files/contents-sink.ts";
import { readTree } from "../../workspace/tree/read-tree.ts";
import { judgedAs } from "../../workspace/trust/judged-session.ts";
import { isSameWork } from "../../workspace/unsettled/held-unsettled.ts";
import type { AppPlace } from "../place/app-place.ts";
import { type WorkspaceHere, workspaceHere } from "../place/workspace-here.ts";
import { type ActHow, act, type EndedAct } from "./act.ts";
import { parkedInReach, parkedNamed } from "./parked.ts";

/** `name`: of the group, or its beginning. */
export async function unpark(at: AppPlace, how: ActHow, name: string): Promise<EndedAct> {
  const store = await at.findStore();
  const here = await workspaceHere(at, store);
  if (!store) throw new RefloatError("E_NO_PARKED", { what: name });
  return act(how, { store, here }, async () => {
    const { parked, plans } = await parkedInReach(store.raw, here.workspace);
    const one = parkedNamed(parked, name);
    const marked = judgedAs(here.env, one.session);
    if (marked !== null && !how.isDryRun)
      throw new RefloatError("E_UNDER_MARK", { session: marked, what: "bring back what was parked of it" });
    const plan = plans.find(({ id }) => id === one.plan) as Plan;
    const draft = compileUnpark(one, plan);
    return {
      draft: plan.isOfOtherTree ? await asHere(store.raw, here, draft) : draft,
      leftAlone: [],
      subject: {
        kind: "parked",
        name: one.name,
        isUnstaged: plan.isOfOtherTree && (draft.index ?? []).length > 0,
      },
      word: "restore",
      commit: null,
    };
  });
}

/**
 * W8: in another tree of the repository the files are as its checkout wrote them: what git calls the same is expected as it is
 * here. What was staged is not: this index is another.
 */
async function asHere(store: Store, { workspace, env }: WorkspaceHere, draft: PlanDraft): Promise<PlanDraft> {
  const paths = draft.puts.map(({ path }) => path);
  const { entries } = await readTree(workspace, hashingSink(), { env, clock: store.clock, paths });
  const now = new Map(entries.map(({ path, state }) => [path, state]));
  const puts = draft.puts.map((put) => {
    const found = now.get(put.path) ?? null;
    return isSameWork(put.expect, found) ? { ...put, expect: found } : put;
  });
  return { ...draft, puts, index: [] };
}
