/** What a draft needs of git, looked at before the plan is made: locks, HEAD, refs, what is staged, blobs to hold. */
import { existsSync } from "node:fs";
import { RefloatError } from "../../model/errors.ts";
import { ACT_LOCK_WAIT_MS } from "../../model/limits.ts";
import type { Store } from "../../store/store.ts";
import { headFromFiles } from "../../workspace/git/head.ts";
import { indexEntries } from "../../workspace/git/index-file.ts";
import type { Repository } from "../../workspace/git/repository.ts";
import type { Workspace } from "../../workspace/opening/workspace.ts";
import { lockedIndex } from "../git/edit-index.ts";
import { holdObjects } from "../git/held-objects.ts";
import { assertRefsMayMove, readRef } from "../git/swap-refs.ts";
import type { HeldObject, IndexEdit, PlanDraft } from "../plans/draft.ts";
import { findPlan } from "../plans/plans.ts";
import type { StagedAt } from "./decide-draft.ts";
import { headMovedError, isHeadAt } from "./execute-plan.ts";

const POLL_MS = 50;

const touchesGit = ({ index = [], refs = [] }: PlanDraft): boolean => index.length > 0 || refs.length > 0;

async function repositoryFor(workspace: Workspace): Promise<Repository> {
  if (workspace.kind === "git") return workspace.repository();
  throw new RefloatError("E_UNSUPPORTED", {
    what: "An index or a ref",
    why: "this folder has no repository",
    instead: "Only its files can be acted on.",
  });
}

export async function lookAtIndex(workspace: Workspace, { index = [] }: PlanDraft): Promise<StagedAt> {
  if (index.length === 0) return () => [];
  const paths = index.map(({ path }) => path);
  const staged = await indexEntries(await repositoryFor(workspace), paths);
  return (path) => staged.get(path) ?? [];
}

/** Throws a refusal: E_INDEX_LOCKED, E_REF_MOVED, E_REF_BACKWARDS, E_BRANCH_ELSEWHERE, E_GIT_IN_PROGRESS. */
export async function assertGitReady(store: Store, workspace: Workspace, draft: PlanDraft): Promise<void> {
  if (!touchesGit(draft)) return;
  const repository = await repositoryFor(workspace);
  await waitForLock(store, repository);
  if (!isHeadAt(repository, draft.head))
    throw headMovedError(draft.head, headFromFiles(repository)?.branch ?? null);
  const { refs = [], undoes } = draft;
  if (refs.length === 0) return;
  const undone = undoes === undefined ? null : await findPlan(store, workspace, undoes);
  await assertRefsMayMove(repository, refs, undone);
}

/** A git command of the user's takes a moment; a lock that stays is his to look at. */
async function waitForLock({ clock }: Store, repository: Repository): Promise<void> {
  const { lock } = lockedIndex(repository, "");
  const untilMs = clock.monotonicMs() + ACT_LOCK_WAIT_MS;
  while (existsSync(lock)) {
    if (clock.monotonicMs() > untilMs) throw new RefloatError("E_INDEX_LOCKED", { path: lock });
    await clock.sleep(POLL_MS);
  }
}

/** The blobs that leave the index, besides those the compiler held already. */
export async function holdBlobs(
  store: Store,
  workspace: Workspace,
  edits: readonly IndexEdit[],
  known: readonly HeldObject[] = [],
): Promise<HeldObject[]> {
  if (edits.length === 0) return [...known];
  const repository = await repositoryFor(workspace);
  const held = await holdObjects(store, repository, await readRef(repository, "HEAD"), edits);
  return [...new Map([...known, ...held].map((object) => [object.id, object])).values()];
}
