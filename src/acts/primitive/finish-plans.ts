/**
 * Ends what a dead executor left (S5): called at the start of every command that may write. Each open plan is
 * carried on from where it is: groups that can be finished are, a group in which something changed since is put
 * back. Only from an executor that is proved dead, or that gave the plan up itself (K4).
 */
import { RefloatError } from "../../model/errors.ts";
import { ACT_LOCK_WAIT_MS } from "../../model/limits.ts";
import { livenessOf } from "../../platform/liveness.ts";
import { endMarked } from "../../platform/marked-processes.ts";
import { describeOwner } from "../../store/refusal-error.ts";
import type { Store } from "../../store/store.ts";
import { PLAN_MARK } from "../../workspace/git/repository.ts";
import type { Workspace } from "../../workspace/opening/workspace.ts";
import { clearIndexLeft } from "../git/edit-index.ts";
import { clearRefLocks } from "../git/swap-refs.ts";
import { type ActsClaim, actsSessionOf, withActsClaim } from "../plans/acts-session.ts";
import { openPlans, type Plan } from "../plans/plans.ts";
import { planEndRecord } from "../plans/records.ts";
import { type ExecutedPlan, executePlan } from "./execute-plan.ts";

export interface FinishedPlan extends ExecutedPlan {
  readonly plan: Plan;
}

/** Empty: nothing was left. E_ACT_BUSY: its executor lives, or cannot be proved dead. */
export async function finishPlans(store: Store, workspace: Workspace): Promise<FinishedPlan[]> {
  if (!(await hasOpenPlan(store, workspace))) return [];
  return withActsClaim(store, workspace, (claim) => finishPlansUnder(store, workspace, claim));
}

async function hasOpenPlan(store: Store, workspace: Workspace): Promise<boolean> {
  return (await store.open(actsSessionOf(workspace))).some(({ what }) => what === "plan");
}

export async function finishPlansUnder(
  store: Store,
  workspace: Workspace,
  claim: ActsClaim,
): Promise<FinishedPlan[]> {
  const finished: FinishedPlan[] = [];
  for (const plan of await openPlans(store, workspace)) {
    if (plan.isOfOtherTree) {
      finished.push({ plan, ...(await closeUntouched(store, claim, plan)) });
      continue;
    }
    await assertOver(store, plan, claim);
    await clearGitLeft(store, workspace, plan);
    finished.push({ plan, ...(await executePlan({ store, workspace, claim, plan, isLate: true })) });
  }
  return finished;
}

/** Git commands that outlived their parent come to their end first (S6); then what they and a kill left is taken away. */
async function clearGitLeft(store: Store, workspace: Workspace, plan: Plan): Promise<void> {
  if (workspace.kind === "folder") return;
  await endMarked(store.clock, PLAN_MARK, plan.id, ACT_LOCK_WAIT_MS);
  clearIndexLeft(workspace.location, plan.token);
  clearRefLocks(workspace.location, plan.refs);
}

/** The tree it was made for is not here any more: nothing of it may be done to this one. */
async function closeUntouched(store: Store, claim: ActsClaim, plan: Plan): Promise<ExecutedPlan> {
  const back = new Set([...plan.puts, ...plan.index].map(({ group }) => group));
  const finished = { outcome: "rolled-back", late: true, back, conflicts: [], refusal: null } as const;
  await store.append(claim.session, { attempt: claim.attempt }, [
    planEndRecord(store.clock, plan.id, finished),
  ]);
  return finished;
}

/** Another host's executor can only be presumed lost, one whose claim was broken may still run: no proof (K4). */
async function assertOver(store: Store, plan: Plan, claim: ActsClaim): Promise<void> {
  const { kind } = livenessOf(plan.executor);
  if (kind === "dead" || (await wasGivenUp(store, plan, claim))) return;
  throw new RefloatError("E_ACT_BUSY", { by: describeOwner(plan.executor), session: claim.session });
}

/** It gave its claim back itself: a full disk or the like, and it does not go on. */
async function wasGivenUp(store: Store, { seq, attempt }: Plan, { session }: ActsClaim): Promise<boolean> {
  for await (const record of store.journal(session, { fromSeq: seq, kinds: ["claim.released"] }))
    if (record.attempt === attempt) return true;
  return false;
}
