/** S5: what a dead command began here, for whoever may not end it (finish-open.ts), nor loads what it would take. */
import { openPlans, type Plan } from "../../acts/plans/plans.ts";
import { livenessOf } from "../../platform/liveness.ts";
import type { Store } from "../../store/store.ts";
import type { Workspace } from "../../workspace/opening/workspace.ts";
import { saidIn } from "../inbox/said-in.ts";
import type { Tell } from "../telling/news.ts";

/** Changes nothing: the tree may be in the middle of them. `store`: null: nothing was ever done here. */
export async function showOpen(
  store: Store | null,
  workspace: Workspace,
  tell: Tell,
): Promise<readonly Plan[]> {
  const open = store ? await openPlans(store, workspace) : [];
  const isDead = ({ executor }: Plan): boolean => livenessOf(executor).kind === "dead";
  const named = (plans: readonly Plan[]) => plans.map(({ id, act }) => ({ id, act }));
  const left = open.filter(isDead);
  const running = open.filter((plan) => !isDead(plan));
  if (left.length > 0) tell({ kind: "plans-left", plans: named(left) });
  if (running.length > 0) tell({ kind: "plans-running", plans: named(running) });
  for (const { file, ...about } of await saidIn(store, workspace.root))
    tell({ kind: "said-left", file, about });
  return open;
}
