/**
 * What a commit has at paths, as states of files: put together from its blobs as a checkout would write them
 * (line endings, filters that are on). Such a state promises that git calls the file unmodified, not that the
 * bytes are those that once lay there.
 */
import type { ContentHash } from "../../model/ids.ts";
import { type PathName, pathForDisplay, pathFromBytes } from "../../model/path-name.ts";
import type { PathState } from "../../model/path-state.ts";
import { addBytes, type ContentsSink, hashingSink } from "../contents-sink.ts";
import { blobSizes, objectsAt, readBlobs } from "./objects.ts";
import type { Repository } from "./repository.ts";
import type { GitObject } from "./status.ts";

export interface HeadState {
  readonly state: PathState;
  readonly id: string;
}

/** Blobs in memory together. */
const BATCH_BYTES = 16 * 1024 * 1024;
const KIND_BITS = 0o170000;
const SYMLINK = 0o120000;
const GITLINK = 0o160000;

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
    [...objects.values()].filter(({ mode }) => (mode & KIND_BITS) !== GITLINK).map(({ id }) => id),
  );
  const states = new Map<PathName, HeadState>();
  let batch: [PathName, GitObject][] = [];
  let bytes = 0;
  const read = async (): Promise<void> => {
    for (const [path, head] of await readBatch(repository, batch, sizes, sink)) states.set(path, head);
    batch = [];
    bytes = 0;
  };
  for (const [path, object] of objects) {
    const size = sizes.get(object.id) ?? 0;
    if (bytes + size > BATCH_BYTES && batch.length > 0) await read();
    batch.push([path, object]);
    bytes += size;
  }
  if (batch.length > 0) await read();
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
  const isLink = ({ mode }: GitObject): boolean => (mode & KIND_BITS) === SYMLINK;
  const isModule = ({ mode }: GitObject): boolean => (mode & KIND_BITS) === GITLINK;
  const files = batch.filter(([, object]) => !isModule(object));
  const blobs = await readBlobs(
    repository,
    files.map(([path, object]) => (isLink(object) ? { id: object.id } : { id: object.id, path })),
    sizes,
  );
  const found: [PathName, HeadState][] = batch.flatMap(([path, object]) =>
    isModule(object)
      ? [
          [
            path,
            { id: object.id, state: { kind: "submodule", mode: 0, size: 0, hash: null, target: object.id } },
          ],
        ]
      : [],
  );
  for (const [i, [path, object]] of files.entries()) {
    const blob = blobs[i];
    if (!blob) continue;
    const hash = await addBytes(sink, blob);
    found.push([path, { id: object.id, state: stateOfBlob(object, blob, hash) }]);
  }
  return found;
}

function stateOfBlob({ mode }: GitObject, blob: Buffer, hash: ContentHash): PathState {
  if ((mode & KIND_BITS) === SYMLINK)
    return {
      kind: "symlink",
      mode: 0o777,
      size: blob.length,
      hash,
      target: pathForDisplay(pathFromBytes(blob)),
    };
  return { kind: "file", mode: mode & 0o777, size: blob.length, hash };
}
