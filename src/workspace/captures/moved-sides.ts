/**
 * When HEAD moved since the last capture, both sides of every path that changed with it are held: the old
 * commit's blobs may be pruned by the user's own gc, and a path that was clean before and after is in neither
 * capture although its bytes differ (A5 of what prototypes showed: captures relative to HEAD need both).
 */
import type { Capture } from "../../model/capture.ts";
import { giving } from "../../model/errors.ts";
import type { ContentHash } from "../../model/ids.ts";
import { CAPTURE_FILE_BYTES, CAPTURE_MOVED_PATHS } from "../../model/limits.ts";
import { pathJson } from "../../model/path-name.ts";
import { addBytes, type ContentsSink } from "../files/contents-sink.ts";
import { blobBatches, blobSizes, readBlobs, type TreeChange, treeChanges } from "../git/objects.ts";
import type { Repository } from "../git/repository.ts";
import type { GitObject } from "../git/status.ts";
import { GITLINK } from "../git/status.ts";

export type MovedPaths = NonNullable<Capture["moved"]>;

export async function readMoved(
  repository: Repository,
  from: string,
  to: string | null,
  sink: ContentsSink,
): Promise<MovedPaths> {
  // One of the commits may not be readable any more.
  const changes =
    to === null ? null : await treeChanges(repository, from, to).catch(giving(null, "E_GIT_FAILED"));
  if (changes === null) return { from, to, is_known: false, paths: [] };
  const hashes = await holdBlobs(repository, changes.slice(0, CAPTURE_MOVED_PATHS), sink);
  const side = (object: GitObject | null): MovedPaths["paths"][number]["from"] =>
    object === null ? null : { ...object, hash: hashes.get(object.id) ?? null };
  return {
    from,
    to,
    is_known: true,
    paths: changes.map((change) => ({
      ...pathJson(change.path),
      from: side(change.from),
      to: side(change.to),
    })),
  };
}

async function holdBlobs(
  repository: Repository,
  changes: readonly TreeChange[],
  sink: ContentsSink,
): Promise<Map<string, ContentHash>> {
  const objects = changes.flatMap(({ from, to }) => [from, to]);
  const ids = [...new Set(objects.flatMap((one) => (one && one.mode !== GITLINK ? [one.id] : [])))];
  const sizes = await blobSizes(repository, ids);
  const hashes = new Map<string, ContentHash>();
  const fitting = ids.flatMap((id) => {
    const size = sizes.get(id);
    return size === undefined || size > CAPTURE_FILE_BYTES ? [] : [{ id, size }];
  });
  for (const batch of blobBatches(fitting, ({ size }) => size)) {
    const blobs = await readBlobs(repository, batch);
    for (const [i, blob] of blobs.entries())
      if (blob) hashes.set(batch[i]?.id ?? "", await addBytes(sink, blob));
  }
  await sink.settle();
  return hashes;
}
