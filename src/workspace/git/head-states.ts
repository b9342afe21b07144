/**
 * What a commit has at paths, as states of files: put together from its blobs as a checkout would write them
 * (line endings, filters that are on). Such a state promises that git calls the file unmodified, not that the
 * bytes are those that once lay there.
 */
import type { ContentHash } from "../../model/ids.ts";
import { type PathName, pathForDisplay, pathFromBytes } from "../../model/path-name.ts";
import type { PathState } from "../../model/path-state.ts";
import { addBytes, type ContentsSink, hashingSink } from "../files/contents-sink.ts";
import { blobBatches, blobSizes, objectsAt, readBlobs } from "./objects.ts";
import type { Repository } from "./repository.ts";
import type { GitObject } from "./status.ts";
import { isSubmodule, isSymlink } from "./status.ts";

export type HeadState =
  | { readonly kind: "read"; readonly state: PathState; readonly id: string }
  /** The commit has a blob there, and the repository does not: a partial clone, an object lost. Never "nothing" (W4). */
  | { readonly kind: "missing"; readonly id: string };

/** What it says of a path whose blob is missing. */
export const BLOB_MISSING = "git does not have what its commit holds there";

interface StatesOptions {
  /** A sink of the store: then the bytes are held there, too. */
  readonly sink?: ContentsSink;
  /** What the commit has at paths, where somebody asked before; null: nothing. */
  readonly known?: ReadonlyMap<PathName, GitObject | null>;
}

/** A path the commit does not have is not in the map. */
export async function headStates(
  repository: Repository,
  commit: string,
  paths: readonly PathName[],
  { sink = hashingSink(), known = new Map() }: StatesOptions = {},
): Promise<Map<PathName, HeadState>> {
  const objects = await allObjects(repository, commit, paths, known);
  const sizes = await blobSizes(
    repository,
    [...objects.values()].filter((object) => !isSubmodule(object)).map(({ id }) => id),
  );
  const states = new Map<PathName, HeadState>();
  for (const batch of blobBatches(objects, ([, { id }]) => sizes.get(id) ?? 0))
    for (const [path, head] of await readBatch(repository, batch, sizes, sink)) states.set(path, head);
  await sink.flush();
  return states;
}

async function allObjects(
  repository: Repository,
  commit: string,
  paths: readonly PathName[],
  known: ReadonlyMap<PathName, GitObject | null>,
): Promise<Map<PathName, GitObject>> {
  const asked = await objectsAt(
    repository,
    commit,
    paths.filter((path) => !known.has(path)),
  );
  const objects = new Map<PathName, GitObject>();
  for (const path of paths) {
    const object = known.get(path) ?? asked.get(path);
    if (object) objects.set(path, object);
  }
  return objects;
}

async function readBatch(
  repository: Repository,
  batch: readonly [PathName, GitObject][],
  sizes: ReadonlyMap<string, number>,
  sink: ContentsSink,
): Promise<[PathName, HeadState][]> {
  const files = batch.filter(([, object]) => !isSubmodule(object));
  const blobs = await readBlobs(
    repository,
    files.map(([path, object]) => (isSymlink(object) ? { id: object.id } : { id: object.id, path })),
    sizes,
  );
  const found: [PathName, HeadState][] = batch.flatMap(([path, object]) =>
    isSubmodule(object)
      ? [
          [
            path,
            {
              kind: "read",
              id: object.id,
              state: { kind: "submodule", mode: 0, size: 0, hash: null, target: object.id },
            },
          ],
        ]
      : [],
  );
  for (const [i, [path, object]] of files.entries()) {
    const blob = blobs[i];
    if (!blob) {
      found.push([path, { kind: "missing", id: object.id }]);
      continue;
    }
    const hash = await addBytes(sink, blob);
    found.push([path, { kind: "read", id: object.id, state: stateOfBlob(object, blob, hash) }]);
  }
  return found;
}

function stateOfBlob(object: GitObject, blob: Buffer, hash: ContentHash): PathState {
  if (isSymlink(object))
    return {
      kind: "symlink",
      mode: 0o777,
      size: blob.length,
      hash,
      target: pathForDisplay(pathFromBytes(blob)),
    };
  return { kind: "file", mode: object.mode & 0o777, size: blob.length, hash };
}
