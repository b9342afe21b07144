/**
 * A capture as a tree of its own: what HEAD had, with what the capture holds over it, written into a folder that is new
 * or empty. Nothing of the user's is touched, so there is no plan; every name is made by descriptor, never through a
 * link and never over anything (W3).
 */
import { giving, RefloatError } from "../../model/errors.ts";
import { isWithin, type PathName } from "../../model/path-name.ts";
import type { PresentState } from "../../model/path-state.ts";
import { newFolderMode } from "../../platform/tree-names.ts";
import type { Store } from "../../store/store.ts";
import { isGitFolder } from "../../workspace/git/locate.ts";
import { allObjectsAt, blobBatches, blobSizes, readBlobs } from "../../workspace/git/objects.ts";
import type { Repository } from "../../workspace/git/repository.ts";
import type { GitObject } from "../../workspace/git/status.ts";
import { isSubmodule, isSymlink } from "../../workspace/git/status.ts";
import type { HeldReading } from "./bring.ts";
import { emptyFolder, NewTree } from "./new-tree.ts";

export interface CopyPlace {
  readonly store: Store;
  readonly repository: Repository | null;
  /** The workspace's root: a copy lies outside of it. */
  readonly workspace: string;
}

export interface CopyOptions {
  readonly named: readonly PathName[];
  readonly to: string;
  readonly isDryRun: boolean;
  readonly onProgress?: (done: number, total: number) => void;
}

export interface CopiedPaths {
  readonly to: string;
  readonly paths: readonly PathName[];
  readonly missing: readonly { readonly path: PathName; readonly why: string }[];
}

type MissingPath = { path: PathName; why: string };

export async function copyOut(
  place: CopyPlace,
  { reading, headId }: HeldReading,
  options: CopyOptions,
): Promise<CopiedPaths> {
  const to = emptyFolder(options.to, { outside: place.workspace, isDryRun: options.isDryRun });
  const isWanted = (path: PathName): boolean =>
    options.named.length === 0 || options.named.some((folder) => isWithin(path, folder));
  const { entries, gaps } = reading;
  const missing: MissingPath[] = gaps.map(({ path, detail }) => ({ path, why: detail }));
  const known = new Set([...entries, ...gaps].map(({ path }) => path));
  const objects = await headObjects(place.repository, headId);
  const clean = [...objects].filter(([path]) => !known.has(path) && isWanted(path));
  const gone = new Set(missing.map(({ path }) => path));
  const held = entries.flatMap(({ path, state }) =>
    state !== null && !gone.has(path) && isWanted(path) ? [{ path, state }] : [],
  );
  const all = [...clean.map(([path]) => path), ...held.map(({ path }) => path)].sort();
  assertNoRepository(all, options.to);
  const wantedMissing = missing.filter(({ path }) => isWanted(path));
  if (options.isDryRun) return { to, paths: all, missing: wantedMissing };
  const tree = new NewTree(to);
  const written: PathName[] = [];
  const put = async (
    path: PathName,
    state: PresentState,
    pieces: AsyncIterable<Uint8Array>,
  ): Promise<void> => {
    await tree.put(path, state, pieces);
    written.push(path);
    options.onProgress?.(written.length, all.length);
  };
  try {
    if (place.repository) wantedMissing.push(...(await copyBlobs(place.repository, clean, put)));
    for (const { path, state } of held) {
      if (state.kind === "submodule") wantedMissing.push({ path, why: "it is a submodule" });
      else await put(path, state, bytesOf(place.store, state));
    }
    tree.sync();
  } finally {
    tree.close();
  }
  return { to, paths: written.sort(), missing: wantedMissing };
}

/** A folder with what makes one is a repository without being called .git: the next git there would obey its configuration. */
function assertNoRepository(paths: readonly PathName[], to: string): void {
  const top = new Set(paths.map((path) => path.split("/", 1)[0] ?? ""));
  if (isGitFolder(top)) throw new RefloatError("E_GIT_NAME", { path: to });
}

/** A commit that is gone leaves what the capture itself holds. */
async function headObjects(
  repository: Repository | null,
  commit: string | null,
): Promise<ReadonlyMap<PathName, GitObject>> {
  if (!repository || commit === null) return new Map();
  return allObjectsAt(repository, commit).catch(giving(new Map(), "E_GIT_FAILED"));
}

async function copyBlobs(
  repository: Repository,
  clean: readonly (readonly [PathName, GitObject])[],
  put: (path: PathName, state: PresentState, pieces: AsyncIterable<Uint8Array>) => Promise<void>,
): Promise<MissingPath[]> {
  const missing: MissingPath[] = [];
  const files = clean.filter(([path, object]) => {
    if (isSubmodule(object)) missing.push({ path, why: "it is a submodule" });
    return !isSubmodule(object);
  });
  const sizes = await blobSizes(repository, [...new Set(files.map(([, { id }]) => id))]);
  for (const batch of blobBatches(files, ([, { id }]) => sizes.get(id) ?? 0)) {
    const blobs = await readBlobs(
      repository,
      batch.map(([path, object]) => (isSymlink(object) ? { id: object.id } : { id: object.id, path })),
    );
    for (const [i, [path, object]] of batch.entries()) {
      const blob = blobs[i];
      if (blob) await put(path, blobState(object, blob.length), piecesOf(blob));
      else missing.push({ path, why: "git does not have its bytes any more" });
    }
  }
  return missing;
}

const blobState = (object: GitObject, size: number): PresentState => ({
  kind: isSymlink(object) ? "symlink" : "file",
  mode: object.mode & newFolderMode(),
  size,
  hash: null,
});

async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function* bytesOf(store: Store, { hash }: PresentState): AsyncGenerator<Uint8Array> {
  if (hash !== null) yield* store.readContent(hash);
}
