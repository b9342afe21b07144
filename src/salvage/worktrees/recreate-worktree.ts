/**
 * Bringing a removed work tree back: git is told of it again at the commit it was at, without a checkout; its HEAD and
 * index are put back as they were; its branch is made again if it is gone; then the plan that took its files is undone. Each
 * step looks first, so that it can be begun again after a kill. Where its branch went on since, or is checked out elsewhere by now, it
 * comes back at its commit on no branch: under the new tip its index would be a staged reversal of what came since (W7).
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { inverseOf } from "../../acts/compilers/undo.ts";
import { actsSessionOf } from "../../acts/plans/acts-session.ts";
import type { PlanDraft } from "../../acts/plans/draft.ts";
import type { Conflict } from "../../acts/plans/outcome.ts";
import { type Plan, plansOf } from "../../acts/plans/plans.ts";
import { applyDraft, planDraft } from "../../acts/primitive/apply-draft.ts";
import { RefloatError } from "../../model/errors.ts";
import type { ContentHash } from "../../model/ids.ts";
import { type BodyOf, bodyAs } from "../../model/record.ts";
import { writeDurable } from "../../platform/durable-file.ts";
import type { Environment } from "../../platform/places.ts";
import { newRecord } from "../../session/new-record.ts";
import { readWholeContent } from "../../store/content-store.ts";
import type { Store } from "../../store/store.ts";
import { listWorktrees } from "../../workspace/git/worktrees.ts";
import type { GitWorkspace } from "../../workspace/opening/workspace.ts";
import { openTrusted } from "../../workspace/trust/open-trusted.ts";
import { KEPT_GIT_FILES } from "./remove-worktree.ts";

export type Removal = BodyOf<"worktree.removing"> & { readonly seq: number; readonly atMs: number };

/** Removals that nobody took back yet, newest first. */
export async function standingRemovals(store: Store, from: GitWorkspace): Promise<Removal[]> {
  const session = actsSessionOf(from);
  if (!(await store.session(session))) return [];
  const kinds = ["worktree.removing", "worktree.recreated"] as const;
  const standing = new Map<string, Removal>();
  for await (const record of store.journal(session, { kinds })) {
    const { seq, atMs } = record;
    const removing = bodyAs(record, "worktree.removing");
    if (removing) standing.set(removing.removal, { ...removing, seq, atMs });
    const recreated = bodyAs(record, "worktree.recreated");
    if (recreated) standing.delete(recreated.removal);
  }
  return [...standing.values()].reverse();
}

export interface RecreatedWorktree {
  /** Of files that are there and are none of its own: then nothing was brought back, and the removal stands. */
  readonly conflicts: readonly Conflict[];
  readonly files: number;
  /** Why it is on no branch although it was on one; null: it is where it was. */
  readonly detached: string | null;
}

export async function recreateWorktree(
  store: Store,
  from: GitWorkspace,
  removal: Removal,
  env: Environment,
): Promise<RecreatedWorktree> {
  const { path, head, branch } = removal;
  const repository = await from.repository();
  const isListed = (await listWorktrees(repository)).some(
    (one) => one.path === path && one.prunable === null,
  );
  if (!isListed) {
    if (existsSync(path))
      throw new RefloatError("E_NOT_REMOVABLE", { path, why: "something else is there by now" });
    if (head === null) throw new RefloatError("E_NOT_REMOVABLE", { path, why: "it had no commit" });
    const args = ["worktree", "add", "--no-checkout", "--detach", "--force", path, head];
    await repository.run(args, { isWriting: true });
  }
  const linked = openTrusted(store, path, env);
  if (linked.kind === "folder")
    throw new RefloatError("E_NOT_REMOVABLE", { path, why: "git does not know it" });
  // What git keeps of it is somebody else's where the files are: looked at before anything of it is written (W3).
  const draft = await draftOf(store, linked, removal);
  const looked = draft ? (await planDraft(store, linked, draft)).conflicts : [];
  if (looked.length > 0) return { conflicts: looked, files: 0, detached: null };
  const detached = branch !== null && head !== null ? await bringBranch(from, { path, branch, head }) : null;
  await bringGitFiles(store, linked, removal, { staysDetached: detached !== null });
  const { files, conflicts } = await bringFiles(store, linked, draft, env);
  if (conflicts.length > 0) return { conflicts, files, detached };
  await store.append(actsSessionOf(from), "anyone", [
    newRecord(
      store.clock,
      "worktree.recreated",
      { removal: removal.removal },
      `worktree-recreated:${removal.removal}`,
    ),
  ]);
  return { conflicts, files, detached };
}

interface WorktreePlace {
  readonly path: string;
  readonly branch: string;
  readonly head: string;
}

/** A branch that is there is left where it is: it is nobody's to move (W2). Not null: why the work tree cannot be on it. */
async function bringBranch(
  from: GitWorkspace,
  { path, branch, head }: WorktreePlace,
): Promise<string | null> {
  const repository = await from.repository();
  const ref = `refs/heads/${branch}`;
  const found = await repository.run(["rev-parse", "-q", "--verify", ref], { answers: [1] });
  const tip = found.toString("latin1").trim();
  if (tip === "") {
    const input = Buffer.from(`create ${ref}\0${head}\0`);
    await repository.run(["update-ref", "--stdin", "-z"], { input, isWriting: true });
    return null;
  }
  const elsewhere = (await listWorktrees(repository)).find(
    (one) => one.branch === branch && one.path !== path,
  );
  if (elsewhere) return `${branch} is checked out in ${elsewhere.path}`;
  return tip === head ? null : `${branch} is at ${tip.slice(0, 12)} by now`;
}

/** Git was told of it without a branch: its HEAD as it was puts it on one. */
async function bringGitFiles(
  store: Store,
  linked: GitWorkspace,
  { kept }: Removal,
  { staysDetached }: { readonly staysDetached: boolean },
): Promise<void> {
  for (const { name, hash } of kept) {
    if (!KEPT_GIT_FILES.some((kept) => kept === name) || (staysDetached && name === "HEAD")) continue;
    const bytes = await readWholeContent(store.driver, hash as ContentHash);
    writeDurable(join(linked.location.gitDir, name), bytes);
  }
}

/** Null: killed before its plan was made, nothing of it had gone. */
async function draftOf(store: Store, linked: GitWorkspace, { removal }: Removal): Promise<PlanDraft | null> {
  const plan = await planOf(store, linked, removal);
  return plan && { act: "recreate", session: null, undoes: plan.id, ...inverseOf(plan) };
}

async function bringFiles(
  store: Store,
  linked: GitWorkspace,
  draft: PlanDraft | null,
  env: Environment,
): Promise<{ readonly files: number; readonly conflicts: readonly Conflict[] }> {
  if (!draft) return { files: 0, conflicts: [] };
  const outcome = await applyDraft(store, linked, draft, { env });
  if (outcome.kind === "refused") throw outcome.error;
  return { files: outcome.paths.length, conflicts: outcome.conflicts };
}

async function planOf(store: Store, linked: GitWorkspace, removal: string): Promise<Plan | null> {
  for await (const plan of plansOf(store, linked)) if (plan.data.removal === removal) return plan;
  return null;
}
