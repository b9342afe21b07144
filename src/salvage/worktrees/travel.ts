/**
 * A session's branch and tree in another clone of its repository: its commits are brought, its branch is made or moved on, and a work tree
 * of its own gets them with what its last capture holds. What is on disk after each step, and what a second start does:
 *  1. the commits' packs              objects that nothing names; brought again where they are gone
 *  2. the branch, by compare-and-swap it is where it should be
 *  3. the work tree and its files     as in recreate-removed.ts, whose steps these are
 */
import { RefloatError } from "../../model/errors.ts";
import type { Environment } from "../../platform/places.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import type { Store } from "../../store/store.ts";
import { bringCommits } from "../../workspace/captures/bring-commits.ts";
import { lastCaptured } from "../../workspace/captures/captured-states.ts";
import { isShallow } from "../../workspace/git/objects.ts";
import type { Repository } from "../../workspace/git/repository.ts";
import { listWorktrees } from "../../workspace/git/worktrees.ts";
import { type BranchChoice, chooseBranch, type SeenBranch } from "./choose-branch.ts";
import { tipOf } from "./gather-recreate.ts";
import { type RecreationEnd, recreateRemoved } from "./recreate-removed.ts";

export interface TravelOrder {
  /** Any work tree of the clone. */
  readonly clone: Repository;
  /** Where the work tree of its own will be. */
  readonly path: string;
  readonly env: Environment;
}

export interface TravelEnd {
  readonly path: string;
  readonly head: string;
  /** So many commits came. */
  readonly commits: number;
  readonly choice: BranchChoice;
  /** Null: the work tree was there already, from an earlier start. */
  readonly end: RecreationEnd | null;
}

/** So much of a session's id tells its branch and folder from others'. */
export const SHORT_ID = 8;

export async function travelInto(
  store: Store,
  row: SessionRow,
  { clone, path, env }: TravelOrder,
): Promise<TravelEnd> {
  const captured = await lastCaptured(store, row.id);
  const head = captured?.head?.id ?? null;
  if (!captured || head === null)
    throw new RefloatError("E_RECREATE_UNKNOWN", { session: row.id, why: "no commit of it is on record" });
  const commits = await commitsFor(store, row, clone, head);
  const choice = await branchFor(clone, {
    session: row.id,
    head,
    branch: captured.head?.branch ?? null,
    path,
  });
  if (choice.from !== null) await moveOn(clone, `refs/heads/${choice.branch}`, choice.from, head);
  const to = { path, commonDir: clone.commonDir, branch: choice.branch };
  return { path, head, commits, choice, end: await recreateRemoved(store, row, env, to) };
}

/** Brings them; E_TRAVEL_MISSING where what they stand on is not here. */
export async function commitsFor(
  store: Store,
  { id: session }: SessionRow,
  clone: Repository,
  head: string,
): Promise<number> {
  const brought = await bringCommits(store, session, clone, head);
  if (brought.kind === "here") return brought.commits;
  const [first = head] = brought.commits;
  const fetch = isShallow(clone) ? "git fetch --unshallow" : "git fetch --all";
  throw new RefloatError("E_TRAVEL_MISSING", { session, commit: first, path: clone.root, fetch });
}

interface BranchWanted {
  readonly session: string;
  readonly head: string;
  readonly branch: string | null;
  /** Null: in a clone that nobody works in yet. */
  readonly path: string | null;
}

export async function branchFor(
  clone: Repository,
  { session, head, branch, path }: BranchWanted,
): Promise<BranchChoice> {
  const listed = path === null ? [] : await listWorktrees(clone);
  const seen = async (name: string): Promise<SeenBranch> => {
    const tip = await tipOf(clone, name);
    const other = listed.find((one) => one.branch === name && one.path !== path && !one.isBare);
    return {
      ...{ name, tip, elsewhere: other?.path ?? null },
      isBehind: tip !== null && (await isAncestor(clone, tip, head)),
    };
  };
  const spare = await seen(`${branch ?? "session"}-${session.slice(0, SHORT_ID)}`);
  return chooseBranch(head, branch === null ? null : await seen(branch), spare);
}

async function isAncestor(clone: Repository, tip: string, head: string): Promise<boolean> {
  const output = await clone.run(["merge-base", tip, head], { answers: [1] });
  return output.toString("latin1").trim() === tip;
}

/** W2: only to a descendant, and only from where it was seen. */
export async function moveOn(clone: Repository, ref: string, from: string, to: string): Promise<void> {
  const input = Buffer.from(`update ${ref}\0${to}\0${from}\0`);
  await clone.run(["update-ref", "--stdin", "-z"], { input, isWriting: true });
}
