/**
 * What a hook made of the files it was shown, where the user takes that (`--accept-hook-changes`): a formatter's version of
 * what is committed goes into the commit and into the tree, as if the hook had run there; the plan holds what was there
 * before, and undo brings it back. Only files that are committed whole: a hook that changes others, adds or removes some, or
 * one of which the commit has only the session's part, stops the act all the same.
 *
 * A hook that ran in the tree (`--hooks in-place`) changed the files there itself: they are brought into the clone, and what is
 * committed is what lies in the tree then.
 */
import { closeSync, constants, lstatSync, openSync, readFileSync } from "node:fs";
import { RefloatError } from "../../model/errors.ts";
import { nulPaths, type PathName, pathToBytes } from "../../model/path-name.ts";
import { isSameState, type PresentState } from "../../model/path-state.ts";
import { putIntoScratch } from "../../platform/scratch-tree.ts";
import { hashOf } from "../../store/contract/content-hash.ts";
import { shownPath } from "../../text/shown-path.ts";
import { pathAt } from "../../workspace/files/read-path.ts";
import { indexEntries } from "../../workspace/git/index-file.ts";
import { readBlobs } from "../../workspace/git/objects.ts";
import type { Repository } from "../../workspace/git/repository.ts";
import type { ScratchClone } from "../../workspace/git/scratch-clone.ts";
import type { GitObject } from "../../workspace/git/status.ts";
import { FILE, RUNNABLE } from "../../workspace/git/status.ts";
import { type CommitPath, writeBlob } from "./commit-objects.ts";

/** A committed file as a hook left it. */
export interface HookedPath {
  readonly path: PathName;
  readonly group: string;
  /** In the commit. */
  readonly object: GitObject;
  /** In the tree. */
  readonly state: PresentState;
  readonly bytes: Buffer;
}

/** Names shown of what a hook changed. */
const MAX_NAMED = 5;

/** What the tree has now of the files that are committed whole: the hook ran there, with the clone's index. */
export async function bringFromTree(
  { root }: Repository,
  clone: ScratchClone,
  paths: readonly CommitPath[],
): Promise<void> {
  for (const { path } of paths.filter(isWholeFile)) {
    const bytes = fileInTree(pathAt(root, path));
    const isExecutable = bytes !== null && (modeAt(pathAt(root, path)) & 0o100) !== 0;
    const put =
      bytes === null ? ({ kind: "nothing" } as const) : ({ kind: "file", bytes, isExecutable } as const);
    putIntoScratch(clone.root, pathToBytes(path), put);
  }
  // A hook's own `git add` has left times of the tree's files in the clone's index.
  await clone.repository.run(["update-index", "-q", "--refresh"], { answers: [1] });
}

/** Null: no plain file is there. */
function fileInTree(path: Buffer): Buffer | null {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() ? readNoFollow(path) : null;
}

const modeAt = (path: Buffer): number => lstatSync(path).mode & 0o7777;

/** Taken from the tree as it is: nothing is to be put there, if nobody changes it meanwhile. */
export const asInTree = ({ root }: Repository, hooked: HookedPath): HookedPath => ({
  ...hooked,
  state: { ...hooked.state, mode: modeAt(pathAt(root, hooked.path)) },
});

/** Neither what is staged nor a tracked file may be another one; new files that nobody staged are the hook's own business. */
export async function changedByHook({ repository }: ScratchClone, tree: string): Promise<PathName[]> {
  const staged = (await repository.run(["write-tree"])).toString("latin1").trim();
  const edited = await repository.run(["diff-files", "--ignore-submodules=dirty", "--name-only", "-z"]);
  const moved =
    staged === tree
      ? Buffer.alloc(0)
      : await repository.run(["diff-tree", "-r", "-z", "--no-renames", "--name-only", tree, staged]);
  return [...new Set([...nulPaths(edited), ...nulPaths(moved)])];
}

export function changedNames(paths: readonly PathName[]): string {
  const more = paths.length - MAX_NAMED;
  const named = paths.slice(0, MAX_NAMED).map(shownPath).join(", ");
  return more > 0 ? `${named} and ${more} more` : named;
}

/** Throws E_HOOK_CHANGED_MORE before anything is taken. */
export async function takeHookChanges(
  repository: Repository,
  clone: ScratchClone,
  paths: readonly CommitPath[],
  changed: readonly PathName[],
): Promise<HookedPath[]> {
  const own = new Map(paths.filter(isWholeFile).map((one) => [one.path, one]));
  const known = await indexEntries(clone.repository, changed);
  assertAll(changed, (path) => own.has(path) && known.has(path));
  const input = Buffer.concat(changed.flatMap((path) => [pathToBytes(path), Buffer.from([0])]));
  await clone.repository.run(["update-index", "--remove", "-z", "--stdin"], { input });
  const staged = await indexEntries(clone.repository, changed);
  const fileAt = (path: PathName): GitObject | undefined =>
    staged.get(path)?.find(({ mode }) => mode === FILE || mode === RUNNABLE);
  assertAll(changed, (path) => fileAt(path) !== undefined);
  const taken: HookedPath[] = [];
  for (const path of changed)
    taken.push(await hookedPath(repository, clone, own.get(path) as CommitPath, fileAt(path) as GitObject));
  return taken;
}

function assertAll(changed: readonly PathName[], isFit: (path: PathName) => boolean): void {
  const more = changed.filter((path) => !isFit(path));
  if (more.length > 0) throw new RefloatError("E_HOOK_CHANGED_MORE", { paths: changedNames(more) });
}

/** Of a file that was dirty before, the commit has other bytes than the tree. */
const isWholeFile = ({ state, inTree, bytes }: CommitPath): boolean =>
  state?.kind === "file" && isSameState(state, inTree) && bytes !== null && hashOf(bytes) === state.hash;

async function hookedPath(
  repository: Repository,
  clone: ScratchClone,
  { path, group, inTree }: CommitPath,
  { mode, id }: GitObject,
): Promise<HookedPath> {
  const [blob] = await readBlobs(clone.repository, [{ id }]);
  if (!blob) throw new RefloatError("E_NO_CONTENT", { hash: shownPath(path) });
  const object = { mode, id: await writeBlob(repository, blob) };
  const bytes = readNoFollow(pathAt(clone.root, path));
  const bits = permissions(inTree?.mode ?? 0o644, { isRunnable: mode === RUNNABLE });
  const state = { kind: "file", mode: bits, size: bytes.length, hash: hashOf(bytes) } as const;
  return { path, group, object, state, bytes };
}

/** Whoever may read it may run it, as git does it; else nobody. */
function permissions(mode: number, { isRunnable }: { readonly isRunnable: boolean }): number {
  if (!isRunnable) return mode & ~0o111;
  return (mode & 0o111) === 0 ? mode | ((mode & 0o444) >> 2) : mode;
}

function readNoFollow(path: Buffer): Buffer {
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}
