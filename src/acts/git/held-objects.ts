/**
 * The blobs an index edit takes out of the index may be nowhere else: the user's `git gc --prune=now` then drops them,
 * and undo would stage what is not there. So the store holds them, and they are written again where git has them no more.
 */
import { RefloatError } from "../../model/errors.ts";
import { CAPTURE_FILE_BYTES } from "../../model/limits.ts";
import { readWholeContent } from "../../store/content-store.ts";
import type { Store } from "../../store/store.ts";
import type { StagedEntry } from "../../workspace/git/index-file.ts";
import { blobBatches, blobSizes, objectsAt, readBlobs } from "../../workspace/git/objects.ts";
import type { Repository } from "../../workspace/git/repository.ts";
import { GITLINK } from "../../workspace/git/status.ts";
import type { HeldObject, IndexEdit } from "../plans/draft.ts";

/** Those that go out of the index and that HEAD does not have at their path. A larger one than a capture holds is left to git. */
export async function holdObjects(
  store: Store,
  repository: Repository,
  headId: string | null,
  edits: readonly IndexEdit[],
): Promise<HeldObject[]> {
  const paths = edits.map(({ path }) => path);
  const atHead = headId === null ? new Map() : await objectsAt(repository, headId, paths);
  const wanted = new Set(
    edits.flatMap(({ path, expect }) =>
      expect.filter(isBlob).flatMap(({ id }) => (atHead.get(path)?.id === id ? [] : [id])),
    ),
  );
  const sizes = await blobSizes(repository, [...wanted]);
  const held: HeldObject[] = [];
  const fitting = [...sizes].flatMap(([id, size]) => (size > CAPTURE_FILE_BYTES ? [] : [{ id, size }]));
  for (const batch of blobBatches(fitting, ({ size }) => size)) {
    const blobs = await readBlobs(repository, batch);
    for (const [i, blob] of blobs.entries())
      if (blob) held.push({ id: batch[i]?.id ?? "", hash: (await store.putContent(blob)).hash });
  }
  return held;
}

/** Every blob these edits put into the index is in the repository when this returns; else E_NO_OBJECT. */
export async function bringObjects(
  store: Store,
  repository: Repository,
  plan: string,
  held: readonly HeldObject[],
  edits: readonly IndexEdit[],
): Promise<void> {
  const wanted = new Set(edits.flatMap(({ put }) => put.filter(isBlob).map(({ id }) => id)));
  const there = await blobSizes(repository, [...wanted]);
  const hashes = new Map(held.map(({ id, hash }) => [id, hash]));
  for (const id of wanted) {
    if (there.has(id)) continue;
    const hash = hashes.get(id);
    if (hash === undefined) throw new RefloatError("E_NO_OBJECT", { id });
    const input = await readWholeContent(store.driver, hash);
    const args = ["hash-object", "-w", "--stdin", "--no-filters"];
    const written = (await repository.run(args, { input, isWriting: true, plan })).toString("latin1").trim();
    if (written !== id) throw new RefloatError("E_NO_OBJECT", { id });
  }
}

/** A file somebody only intends to add has no blob yet, a submodule's commit lies elsewhere. */
const isBlob = ({ mode, flags = [] }: StagedEntry): boolean =>
  mode !== GITLINK && !flags.includes("intent-to-add");
