/**
 * Every work tree of the repository, and which of them may go. `removable` only on proof: nobody works there, nothing in
 * it is uncommitted, parked or stashed, and its commits are elsewhere too. Whatever cannot be proved is a reason to keep.
 * Gathering and judging are apart: `judgeWorktree` is pure.
 */
import { statSync } from "node:fs";
import { ensureError, RefloatError } from "../../model/errors.ts";
import type { PathName } from "../../model/path-name.ts";
import { mountsWithin } from "../../platform/file-system.ts";
import type { Environment } from "../../platform/places.ts";
import { placeInside } from "../../platform/places.ts";
import { describeSession } from "../../session/describe.ts";
import type { Store } from "../../store/store.ts";
import { shownPath } from "../../text/shown-path.ts";
import { readTracked } from "../../workspace/git/beside-status.ts";
import { inProgress } from "../../workspace/git/head.ts";
import { type CommitLanding, landedCommit } from "../../workspace/git/landed.ts";
import type { Repository } from "../../workspace/git/repository.ts";
import { readStatus } from "../../workspace/git/status.ts";
import {
  type ListedWorktree,
  listStashes,
  listWorktrees,
  type Stash,
} from "../../workspace/git/worktrees.ts";
import { openTrusted } from "../../workspace/trust/open-trusted.ts";

export interface WorktreeFacts extends ListedWorktree {
  readonly isHere: boolean;
  readonly liveSessions: readonly string[];
  readonly unsettledSessions: readonly string[];
  readonly parked: readonly string[];
  readonly stashes: readonly Stash[];
  /** Null: it could not be looked at; `problem` says why. */
  readonly tree: TreeFacts | null;
  readonly problem: string | null;
}

export interface TreeFacts {
  readonly changed: number;
  readonly untracked: number;
  /** Where git could not look. */
  readonly unreadable: readonly PathName[];
  readonly hidden: number;
  readonly submodules: number;
  /** Where something else is mounted in it, a bind of the same disk too: those files are not the work tree's (W3). */
  readonly mounts: readonly string[];
  readonly inProgress: readonly string[];
  readonly landed: CommitLanding;
}

export interface WorktreeVerdict {
  readonly path: string;
  readonly branch: string | null;
  readonly head: string | null;
  readonly verdict: "removable" | "keep";
  readonly reasons: readonly string[];
}

const STATUS_TIMEOUT_MS = 120_000;

export interface WorktreeOptions {
  readonly env: Environment;
  /** Where the command was started: a work tree somebody stands in is not taken away under him. */
  readonly place: string;
  /** The names of what is parked from a work tree. */
  readonly parkedFrom: (root: string) => Promise<readonly string[]>;
}

export async function gatherWorktrees(
  repository: Repository,
  store: Store | null,
  options: WorktreeOptions,
): Promise<WorktreeFacts[]> {
  const listed = await listWorktrees(repository);
  const stashes = await listStashes(repository);
  const found: WorktreeFacts[] = [];
  for (const worktree of listed) found.push(await factsOf(worktree, stashes, store, options));
  return found;
}

async function factsOf(
  worktree: ListedWorktree,
  stashes: readonly Stash[],
  store: Store | null,
  options: WorktreeOptions,
): Promise<WorktreeFacts> {
  const { path, branch } = worktree;
  const sessions = await sessionsIn(store, path);
  const common = {
    ...worktree,
    ...sessions,
    isHere: placeInside(path, options.place) !== null,
    parked: await options.parkedFrom(path),
    // A stash made on a detached HEAD names no tree: it may be any detached one's.
    stashes: stashes.filter((stash) => stash.branch === branch),
  };
  // The main one and a bare one stay whatever is in them.
  if (worktree.isMain || worktree.isBare || worktree.prunable !== null)
    return { ...common, tree: null, problem: null };
  try {
    return { ...common, tree: await lookInto(worktree, store, options.env), problem: null };
  } catch (thrown) {
    return { ...common, tree: null, problem: ensureError(thrown).message };
  }
}

async function sessionsIn(
  store: Store | null,
  workspace: string,
): Promise<Pick<WorktreeFacts, "liveSessions" | "unsettledSessions">> {
  const rows = store ? await store.sessions({ workspace }) : [];
  const described = await Promise.all(rows.map((row) => describeSession(store as Store, row)));
  const ids = (wanted: typeof described): string[] => wanted.map(({ id, name }) => name ?? id);
  return {
    liveSessions: ids(described.filter(({ state }) => state === "live")),
    unsettledSessions: ids(described.filter(({ unsettled }) => unsettled)),
  };
}

async function lookInto(
  { path, head, branch }: ListedWorktree,
  store: Store | null,
  env: Environment,
): Promise<TreeFacts> {
  statSync(path);
  const workspace = openTrusted(store, path, env);
  if (workspace.kind === "folder" || workspace.root !== path)
    throw new RefloatError("E_GIT_FAILED", { command: "worktree", why: "it is no work tree any more" });
  const repository = await workspace.repository();
  const lines = await readStatus(repository, STATUS_TIMEOUT_MS);
  const tracked = await readTracked(repository, STATUS_TIMEOUT_MS);
  const untracked = lines.filter(({ kind }) => kind === "untracked" || kind === "nested").length;
  const unreadable = lines.filter(({ kind }) => kind === "unreadable").map((line) => line.path);
  return {
    changed: lines.length - untracked - unreadable.length,
    untracked,
    unreadable,
    hidden: tracked.hiddenCount,
    submodules: tracked.submodules.length,
    mounts: mountsWithin(path),
    inProgress: inProgress(workspace.location),
    landed:
      head === null
        ? { kind: "not-landed", why: "it has no commit yet" }
        : await landedCommit(repository, head, branch),
  };
}

/** Pure. Every reason not to remove it; without one, what proves that it may go. */
export function judgeWorktree(facts: WorktreeFacts): WorktreeVerdict {
  const { path, branch, head } = facts;
  const against = reasonsToKeep(facts);
  if (against.length > 0) return { path, branch, head, verdict: "keep", reasons: against };
  const reasons = [
    "no session works there",
    "nothing in it is uncommitted, parked or stashed",
    proofText(facts.tree),
  ];
  return { path, branch, head, verdict: "removable", reasons };
}

function reasonsToKeep(facts: WorktreeFacts): string[] {
  const { tree } = facts;
  const reasons: string[] = [];
  const add = (isSo: boolean, reason: string): void => {
    if (isSo) reasons.push(reason);
  };
  add(facts.isMain, "it is the main work tree");
  add(facts.isBare, "it is bare");
  add(facts.prunable !== null, "its folder is gone: `git worktree prune` forgets it");
  add(facts.locked !== null, facts.locked ? `it is locked: ${facts.locked}` : "it is locked");
  add(facts.isHere, "you are standing in it");
  for (const session of facts.liveSessions) reasons.push(`the session ${session} is live there`);
  for (const session of facts.unsettledSessions) reasons.push(`the session ${session} is not settled`);
  add(facts.parked.length > 0, `parked from it: ${facts.parked.join(", ")}`);
  add(facts.stashes.length > 0, `${facts.stashes.length} stashed from ${facts.branch ?? "a detached HEAD"}`);
  add(facts.problem !== null, `it could not be looked at: ${facts.problem}`);
  if (tree === null) return reasons.length > 0 ? reasons : ["it could not be looked at"];
  add(tree.changed > 0, `${tree.changed} changed and not committed`);
  add(tree.untracked > 0, `${tree.untracked} untracked`);
  for (const place of tree.unreadable) reasons.push(`git cannot look into ${shownPath(place)}`);
  add(tree.hidden > 0, `git was told not to look at ${tree.hidden} of its paths`);
  add(tree.submodules > 0, "it has submodules");
  for (const mount of tree.mounts) reasons.push(`something is mounted in it: ${mount}`);
  for (const what of tree.inProgress) reasons.push(`a ${what} is under way`);
  if (tree.landed.kind === "not-landed") reasons.push(tree.landed.why);
  return reasons;
}

function proofText(tree: TreeFacts | null): string {
  const landed = tree?.landed ?? { kind: "not-landed", why: "" };
  switch (landed.kind) {
    case "on-remote":
      return `its commits are on ${landed.ref}`;
    case "merged":
      return `its commits are in ${landed.into}`;
    case "same-patch":
      return landed.commit === null
        ? `${landed.into} has the same patches`
        : `${landed.into} has its patch as ${landed.commit.slice(0, 12)}`;
    case "not-landed":
      return landed.why;
    default:
      return landed satisfies never;
  }
}
