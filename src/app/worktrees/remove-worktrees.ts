/** Removes work trees that may go, each held whole first; an undo brings all of one order back. */
import { realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { plansOf } from "../../acts/plans/plans.ts";
import { RefloatError } from "../../model/errors.ts";
import { standingRemovals } from "../../salvage/worktrees/recreate-worktree.ts";
import { finishRemoval, removeWorktree } from "../../salvage/worktrees/remove-worktree.ts";
import type { WorktreeVerdict } from "../../salvage/worktrees/worktrees.ts";
import type { GitWorkspace } from "../../workspace/opening/workspace.ts";
import { assertNotJudged } from "../../workspace/trust/judged-session.ts";
import { openTrusted } from "../../workspace/trust/open-trusted.ts";
import type { Ask } from "../acts/act.ts";
import type { ToldPlan } from "../acts/told-act.ts";
import type { AppPlace } from "../place/app-place.ts";
import { type WorkspaceHere, workspaceHere } from "../place/workspace-here.ts";
import type { RefloatStore } from "../store/open-store.ts";
import { assertGit, worktreesHere } from "./worktrees.ts";

export interface RemovalOrder {
  /** Null: all that may go. */
  readonly paths: readonly string[] | null;
  /** Looks and says only. */
  readonly isDryRun: boolean;
  /** Ignored files over the bound go without being held: only on the user's word. */
  readonly dropsIgnored: boolean;
}

export interface RemovalHow {
  /** Known before the work: false: whatever is found, the plan is shown and nothing is changed. */
  readonly mayAct: boolean;
  readonly ask: Ask<readonly RemovalOutcome[]>;
}

export interface RemovalOutcome {
  readonly path: string;
  readonly removal: string | null;
  /** One for all of an order, also with those that a killed command had begun: `undo` takes all of it back. */
  readonly plan: string | null;
  readonly files: number;
  readonly dropped: number;
}

export type EndedRemoval =
  /** What would go. */
  | { readonly kind: "planned"; readonly worktrees: readonly RemovalOutcome[] }
  /** None may go. */
  | { readonly kind: "nothing" }
  | { readonly kind: "declined" }
  | { readonly kind: "done"; readonly worktrees: readonly RemovalOutcome[] };

/** As every act shows its plan (DESIGN 10): each work tree is a group of its own and goes whole. */
export const removalPlan = (outcomes: readonly RemovalOutcome[]): ToldPlan => ({
  id: outcomes.at(-1)?.plan ?? null,
  session: null,
  acts: outcomes.map(({ path, removal }) => ({ group: removal ?? path, act: "discard", paths: [path] })),
});

export async function removeWorktrees(
  at: AppPlace,
  { mayAct, ask }: RemovalHow,
  { paths, isDryRun, dropsIgnored }: RemovalOrder,
): Promise<EndedRemoval> {
  const isActing = !isDryRun && mayAct;
  const found = isActing ? await at.openOrMakeStore() : await at.findStore();
  const here = await workspaceHere(at, found);
  if (!isDryRun) await assertNotJudged(here.env, found?.raw ?? null, "remove work trees");
  const from = assertGit(here);
  const done = isActing && found ? await finishCutOff(found, from, here, paths) : [];
  const rest = paths?.filter((one) => !done.some(({ path }) => path === realPath(here.place, one))) ?? null;
  if (rest?.length === 0 && done.length > 0) return { kind: "done", worktrees: done };
  const all = await worktreesHere(at, here, from);
  const verdicts =
    rest === null ? all.filter(({ verdict }) => verdict === "removable") : asked(all, here.place, rest);
  if (verdicts.length === 0) return done.length > 0 ? { kind: "done", worktrees: done } : { kind: "nothing" };
  const planned = verdicts.map(({ path }) => ({ path, removal: null, plan: null, files: 0, dropped: 0 }));
  if (isDryRun) return { kind: "planned", worktrees: planned };
  if ((await ask(planned)) === "no") return { kind: "declined" };
  const store = await at.openOrMakeStore();
  for (const verdict of verdicts) {
    const { path } = verdict;
    const linked = openTrusted(store.raw, path, here.env);
    if (linked.kind === "folder") throw new RefloatError("E_NOT_REMOVABLE", { path, why: "it is gone" });
    const plan = done.at(-1)?.plan ?? null;
    const order = { store: store.raw, from, linked, verdict, env: here.env, plan, dropsIgnored };
    const removed = await removeWorktree(order);
    done.push({ path, plan: plan ?? removed.removal, ...removed });
  }
  return { kind: "done", worktrees: done };
}

/** Each of them must be removable: one that is not stops all of it before anything goes. */
function asked(
  verdicts: readonly WorktreeVerdict[],
  place: string,
  typed: readonly string[],
): WorktreeVerdict[] {
  return typed.map((path) => {
    const real = realPath(place, path);
    const found = verdicts.find((one) => one.path === real);
    if (!found)
      throw new RefloatError("E_NOT_REMOVABLE", { path, why: "it is no work tree of this repository" });
    if (found.verdict === "keep")
      throw new RefloatError("E_NOT_REMOVABLE", { path, why: found.reasons.join("; ") });
    return found;
  });
}

/** S5: a removal that was killed before git had forgotten its work tree is brought to its end first. */
async function finishCutOff(
  store: RefloatStore,
  from: GitWorkspace,
  { env, place }: WorkspaceHere,
  typed: readonly string[] | null,
): Promise<RemovalOutcome[]> {
  const done: RemovalOutcome[] = [];
  const standing = await standingRemovals(store.raw, from);
  const paths = typed?.map((one) => realPath(place, one)) ?? standing.map(({ path }) => path);
  for (const path of paths) {
    const one = standing.find((removal) => removal.path === path);
    if (!one || !statSync(path, { throwIfNoEntry: false })?.isDirectory()) continue;
    const linked = openTrusted(store.raw, path, env);
    if (linked.kind === "folder" || linked.root !== path) continue;
    for await (const plan of plansOf(store.raw, linked)) {
      // Its own last act, in this very tree: else it was removed for good, and another lies here now.
      const isCutOff = !plan.isOfOtherTree && plan.data.removal === one.removal;
      const removed = isCutOff ? await finishRemoval(store.raw, from, linked, one) : null;
      if (removed) done.push({ path, plan: one.plan ?? one.removal, ...removed });
      break;
    }
  }
  return done;
}

function realPath(place: string, path: string): string {
  const full = resolve(place, path);
  return statSync(full, { throwIfNoEntry: false }) ? realpathSync(full) : full;
}
