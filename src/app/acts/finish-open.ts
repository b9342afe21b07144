/**
 * S5: what a dead command began here, its plans and a work tree it was bringing back, is ended first by whoever may write, and only
 * shown (show-open.ts) by whoever may not; so is what an agent said of its workflow where it could write nothing.
 */
import { finishPlans } from "../../acts/primitive/finish-plans.ts";
import { RefloatError } from "../../model/errors.ts";
import type { Environment } from "../../platform/places.ts";
import { finishRecreation, type RecreationEnd } from "../../salvage/worktrees/recreate-removed.ts";
import type { Store } from "../../store/store.ts";
import type { Workspace } from "../../workspace/opening/workspace.ts";
import { carryOutIn } from "../inbox/said-in.ts";
import type { AppNews, Tell } from "../telling/news.ts";
import { showOpen } from "./show-open.ts";

type PlanEnded = Extract<AppNews, { kind: "plan-ended" }>;

/** Where something may have been left open. */
export interface OpenIn {
  readonly store: Store;
  readonly workspace: Workspace;
  readonly env: Environment;
}

/** What came of bringing a work tree back, where that was to be ended. E_ACT_BUSY: another command acts here. */
export async function finishOpen(
  { store, workspace, env }: OpenIn,
  tell: Tell,
): Promise<RecreationEnd | null> {
  for (const ended of await finishOpenPlans(store, workspace)) tell(ended);
  const end = await finishRecreation(store, workspace, env);
  if (end) tell({ kind: "worktree-back", end });
  await carryOutIn(store, workspace.root, tell);
  return end;
}

/** Its plans alone, each carried to its end. */
export async function finishOpenPlans(store: Store, workspace: Workspace): Promise<readonly PlanEnded[]> {
  return (await finishPlans(store, workspace)).map(({ plan, outcome }) => ({
    kind: "plan-ended",
    plan: plan.id,
    act: plan.act,
    how: outcome === "done" ? "finished" : "rolled-back",
  }));
}

/** For whoever begins work: where somebody else is just acting, the agent may start all the same. */
export async function finishOpenUnlessBusy(open: OpenIn, tell: Tell): Promise<void> {
  try {
    await finishOpen(open, tell);
  } catch (thrown) {
    if (!(thrown instanceof RefloatError) || thrown.code !== "E_ACT_BUSY") throw thrown;
    tell({ kind: "acting-elsewhere", error: thrown });
  }
}

/** For a command that acts: `mayWrite`: somebody can agree to it, and it is no dry run. */
export async function finishOrShowOpen(
  open: OpenIn,
  { mayWrite }: { readonly mayWrite: boolean },
  tell: Tell,
): Promise<void> {
  if (mayWrite) await finishOpen(open, tell);
  else await showOpen(open.store, open.workspace, tell);
}
