/**
 * The compiler of a commit (DESIGN 7): paths with the bytes they are to have, to index edits and one ref's
 * compare-and-swap. Objects are written and synced first; the primitive then publishes the index and moves the branch, in that
 * order, so that a kill in between leaves the session's part staged, never its reversal (W7).
 *
 * A path whose staged state does not fit makes its group uncommittable: the caller takes the group out and asks again.
 */
import { RefloatError } from "../../model/errors.ts";
import type { PathName } from "../../model/path-name.ts";
import type { Environment } from "../../platform/places.ts";
import { makeScratchTree, removeScratchTree } from "../../platform/scratch-tree.ts";
import type { StagedEntry } from "../../workspace/git/index-file.ts";
import { indexEntries } from "../../workspace/git/index-file.ts";
import { objectsAt, readBlobs } from "../../workspace/git/objects.ts";
import type { Repository } from "../../workspace/git/repository.ts";
import type { GitObject } from "../../workspace/git/status.ts";
import { type CarriedEntry, carryIndex, isSame } from "../git/carry-index.ts";
import { guardCommit } from "../git/commit-guard.ts";
import { type HookMode, runCommitHooks } from "../git/commit-hooks.ts";
import {
  type CommitPath,
  type UnfitPaths,
  writeBlob,
  writeCommitObjects,
  writeTree,
} from "../git/commit-objects.ts";
import type { HookedPath } from "../git/hook-changes.ts";
import { writeCommit } from "../git/write-commit.ts";
import type { IndexEdit, RefSwap } from "../plans/draft.ts";

export interface CommitOrder {
  readonly env: Environment;
  /** The store's folder: scratch trees lie there. */
  readonly home: string;
  readonly paths: readonly CommitPath[];
  readonly message: string;
  /** Somebody named what is to be committed: a policy never makes the first commit of a branch. */
  readonly isNamed: boolean;
  readonly hooks: HookMode;
  readonly acceptsChanges: boolean;
  /** What is staged there was staged while the session worked, as far as its captures tell. */
  readonly isStagedBySession: (path: PathName, staged: readonly StagedEntry[]) => boolean;
  readonly onNarration?: (line: string) => void;
}

export interface CompiledCommit {
  readonly kind: "compiled";
  readonly commit: string;
  readonly index: readonly IndexEdit[];
  readonly refs: readonly RefSwap[];
  /** The branch HEAD must be on; null: detached. */
  readonly head: string | null;
  /** Files that a hook made another of, in the commit and to be so in the tree. */
  readonly hooked: readonly HookedPath[];
}

export type CommitCompiled = CompiledCommit | UnfitPaths;

export async function compileCommit(repository: Repository, order: CommitOrder): Promise<CommitCompiled> {
  const { head, ref } = await guardCommit(repository, order);
  const scratch = makeScratchTree(order.home);
  try {
    const names = order.paths.map(({ path }) => path);
    const old =
      head.id === null ? new Map<PathName, GitObject>() : await objectsAt(repository, head.id, names);
    const written = await writeCommitObjects(repository, order.paths, head.id, scratch);
    if (written.kind === "unfit") return written;
    const { tree, entries } = written;
    const first = await carryAll(repository, order, old, entries);
    if (first.kind === "unfit") return first;
    const { message, changed } = await runCommitHooks(repository, { ...order, head, tree, entries });
    const isChanged = changed.length > 0 && head.id !== null;
    const meant = new Map([...entries, ...changed.map(({ path, object }) => [path, object] as const)]);
    const carried = isChanged ? await carryAll(repository, order, old, meant) : first;
    if (carried.kind === "unfit") return carried;
    const whole = isChanged ? await writeTree(repository, head.id, meant, scratch) : tree;
    const commit = await writeCommit(repository, { tree: whole, parent: head.id, message });
    await assertCommitted(repository, commit, whole);
    return {
      kind: "compiled",
      commit,
      index: carried.index,
      refs: [{ ref, expect: head.id, put: commit }],
      head: head.branch === null ? null : ref,
      hooked: changed,
    };
  } finally {
    removeScratchTree(scratch);
  }
}

type CarriedAll =
  | { readonly kind: "carried"; readonly index: readonly IndexEdit[] }
  | Extract<CommitCompiled, { kind: "unfit" }>;

async function carryAll(
  repository: Repository,
  { paths, isStagedBySession }: CommitOrder,
  old: ReadonlyMap<PathName, GitObject>,
  entries: ReadonlyMap<PathName, GitObject | null>,
): Promise<CarriedAll> {
  const staged = await indexEntries(
    repository,
    paths.map(({ path }) => path),
  );
  const readBlob = async (id: string): Promise<Buffer | null> =>
    (await readBlobs(repository, [{ id }]))[0] ?? null;
  const index: IndexEdit[] = [];
  const unfit: { path: PathName; group: string; why: string }[] = [];
  for (const { path, group } of paths) {
    const expect = staged.get(path) ?? [];
    const isSessions = isStagedBySession(path, expect);
    const facts = {
      old: old.get(path) ?? null,
      commit: entries.get(path) ?? null,
      index: expect,
      isSessions,
      readBlob,
    };
    const carried = await carryIndex(facts);
    if (carried.kind === "conflict") {
      unfit.push({ path, group, why: carried.why });
      continue;
    }
    const put = await entryFor(repository, carried, expect);
    if (!isSame(put, expect[0] ?? null))
      index.push({ path, group, expect, put: put ? [{ ...put, stage: 0 }] : [] });
  }
  return unfit.length > 0 ? { kind: "unfit", paths: unfit } : { kind: "carried", index };
}

async function entryFor(
  repository: Repository,
  carried: Exclude<CarriedEntry, { kind: "conflict" }>,
  expect: readonly StagedEntry[],
): Promise<(GitObject & Pick<StagedEntry, "flags">) | null> {
  const flags = expect[0]?.flags;
  const kept = flags === undefined ? {} : { flags };
  if (carried.kind === "merged")
    return { mode: carried.mode, id: await writeBlob(repository, carried.bytes), ...kept };
  return carried.put && { mode: carried.put.mode, id: carried.put.id, ...kept };
}

/** T1: what was written is what was meant. */
async function assertCommitted(repository: Repository, commit: string, tree: string): Promise<void> {
  const found = (await repository.run(["rev-parse", `${commit}^{tree}`])).toString("latin1").trim();
  if (found !== tree) throw new RefloatError("E_INTERNAL", { why: `the commit ${commit} has another tree` });
}
