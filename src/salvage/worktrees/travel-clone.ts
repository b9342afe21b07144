/**
 * A session's branch and tree where there is no clone of its repository yet: one is made from an address, beside its place, and gets that by
 * one rename, with the branch checked out. What is on disk after each step, and what a second start does:
 *  1. a clone growing beside its place   made anew
 *  2. `worktree.recreating`              the same
 *  3. it has its place, clean            every command that may write there brings what the last capture holds (recreate-removed.ts)
 */
import { existsSync } from "node:fs";
import { withActsClaim } from "../../acts/plans/acts-session.ts";
import { RefloatError } from "../../model/errors.ts";
import { crashPoint } from "../../platform/crash-point.ts";
import type { Environment } from "../../platform/places.ts";
import { removeScratch } from "../../platform/scratch.ts";
import { dropBeside, giveItsPlace, makeTreeBeside, treeBeside } from "../../platform/tree-beside.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import type { Store } from "../../store/store.ts";
import { hasAnyCommitOf } from "../../workspace/captures/bring-commits.ts";
import { type LastCaptured, lastCaptured } from "../../workspace/captures/captured-states.ts";
import { cloneFrom } from "../../workspace/git/clone-from.ts";
import type { Repository } from "../../workspace/git/repository.ts";
import { openTrusted } from "../../workspace/trust/open-trusted.ts";
import type { BranchChoice } from "./choose-branch.ts";
import { finishRecreation, recordRecreation, wasRecreated } from "./recreate-removed.ts";
import { branchFor, commitsFor, moveOn, type TravelEnd } from "./travel.ts";

export interface CloneTravelOrder {
  readonly url: string;
  /** Where the clone will be. */
  readonly path: string;
  /** Where somebody stands. */
  readonly place: string;
  readonly env: Environment;
}

/** Writing the files of a very large commit on a slow disk. */
const CHECKOUT_TIMEOUT_MS = 300_000;

export async function travelByClone(
  store: Store,
  row: SessionRow,
  { url, path, place, env }: CloneTravelOrder,
): Promise<TravelEnd> {
  const { id: session } = row;
  const captured = await lastCaptured(store, session);
  const head = captured?.head?.id ?? null;
  if (!captured || head === null)
    throw new RefloatError("E_RECREATE_UNKNOWN", { session, why: "no commit of it is on record" });
  const none: BranchChoice = { branch: captured.head?.branch ?? null, from: null, instead: null };
  let filled: Filled = { commits: 0, choice: none };
  if (!existsSync(path))
    filled = await withActsClaim(store, { kind: "folder", root: path }, () =>
      makeClone(store, row, { url, path, place, env, captured, head }),
    );
  else if (!(await wasRecreated(store, path, session)))
    throw new RefloatError("E_RECREATE_TAKEN", { session, path, capture: captured.id });
  const end = await finishRecreation(store, openTrusted(store, path, env), env);
  return { path, head, ...filled, end };
}

type Filled = Pick<TravelEnd, "commits" | "choice">;

interface CloneWanted extends CloneTravelOrder {
  readonly captured: LastCaptured;
  readonly head: string;
}

async function makeClone(store: Store, row: SessionRow, wanted: CloneWanted): Promise<Filled> {
  const { url, path, place, env, captured, head } = wanted;
  const { id: session } = row;
  const beside = treeBeside(path, `clone-${session}`);
  removeScratch(beside.folder);
  makeTreeBeside(beside);
  const clone = await cloneFrom({ url, to: beside.tree, place, env });
  if (typeof clone === "string") throw new RefloatError("E_TRAVEL_CLONE", { session, url, why: clone });
  if (!(await hasAnyCommitOf(store, session, clone)))
    throw new RefloatError("E_TRAVEL_OTHER", { session, path: url });
  const commits = await commitsFor(store, row, clone, head);
  const choice = await branchFor(clone, { session, head, branch: captured.head?.branch ?? null, path: null });
  await checkOut(clone, choice, head);
  const { branch } = choice;
  await recordRecreation(store, {
    session,
    path,
    commonDir: `${path}/.git`,
    branch,
    head,
    capture: captured.id,
  });
  crashPoint("recreate.after-fill");
  giveItsPlace(beside);
  dropBeside(beside);
  crashPoint("recreate.after-place");
  return { commits, choice };
}

/** In a clone of our own that nobody has seen yet. */
async function checkOut(clone: Repository, { branch, from }: BranchChoice, head: string): Promise<void> {
  if (branch === null) await clone.run(["update-ref", "--no-deref", "HEAD", head], { isWriting: true });
  else {
    const ref = `refs/heads/${branch}`;
    if (from !== null) await moveOn(clone, ref, from, head);
    else await clone.run(["update-ref", ref, head], { isWriting: true });
    await clone.run(["symbolic-ref", "HEAD", ref], { isWriting: true });
  }
  await clone.run(["read-tree", head], { isWriting: true });
  const timeoutMs = CHECKOUT_TIMEOUT_MS;
  await clone.run(["checkout-index", "--all", "--force", "--quiet", "--index"], {
    isWriting: true,
    timeoutMs,
  });
}
