/**
 * The bytes on both sides of a change, for the judge: before as HEAD has it, after as the tree has it now, or, of a file
 * somebody had changed before the session began, the part of it that would be committed (DESIGN 7: rules judge those
 * bytes). Whatever is handed out has the hash the change names. Bounded: larger files are "not held" here.
 *
 * HEAD's side comes in batches: one command for some hundred blobs, the last batches kept.
 */
import { giving } from "../../model/errors.ts";
import type { PathName } from "../../model/path-name.ts";
import type { PathState } from "../../model/path-state.ts";
import { hashOf } from "../../store/contract/content-hash.ts";
import type { Store } from "../../store/store.ts";
import type { FileSide } from "../../triage/facts/known/triage-facts.ts";
import { contentFinder } from "../../workspace/compare/content-finder.ts";
import type { Change } from "../../workspace/compare/states.ts";
import { readBlobs } from "../../workspace/git/objects.ts";
import type { Repository } from "../../workspace/git/repository.ts";
import type { GitObject } from "../../workspace/git/status.ts";

/** What a person or a parser reads; a larger file is judged by its size and name alone. */
export const MAX_JUDGED_BYTES = 2 * 1024 * 1024;
/** Blobs of HEAD read by one command. */
const BATCH_BLOBS = 200;
/** Batches kept: the judge goes through the changes more or less in order. */
const KEPT_BATCHES = 3;

export interface ContentsOptions {
  readonly store: Store | null;
  readonly repository: Repository | null;
  readonly root: string;
  readonly headId: string | null;
  readonly changes: readonly Change[];
  /** What HEAD has at a changed path, where status said it. */
  readonly headAt: (path: PathName) => GitObject | null | undefined;
  /** The session's part of a file that was dirty before; null: it has none, or it was clean. */
  readonly partOf: (change: Change) => Promise<Uint8Array | null>;
}

export type BytesOf = (change: Change, side: FileSide) => Promise<Uint8Array | null>;

export function changeContents(options: ContentsOptions): BytesOf {
  const { store, repository, root, headId } = options;
  const find = contentFinder({ store, repository, root, commits: [headId], maxBytes: MAX_JUDGED_BYTES });
  const blobAt = headBlobs(options);
  return async (change, side) => {
    const state = side === "before" ? change.from : change.to;
    const path = side === "before" ? (change.fromPath ?? change.path) : change.path;
    if (!isHeldKind(state)) return null;
    if (side === "after") {
      const part = await options.partOf(change);
      if (part) return part;
    }
    const blob = side === "before" ? await blobAt(path) : null;
    if (blob && hashOf(blob) === state.hash) return blob;
    // Collected or forgotten: then it is not held.
    return find(path, state.hash, state.size).catch(giving(null, "E_NO_CONTENT"));
  };
}

type HeldState = NonNullable<PathState> & { readonly hash: NonNullable<NonNullable<PathState>["hash"]> };

function isHeldKind(state: PathState): state is HeldState {
  return state !== null && state.hash !== null && state.size <= MAX_JUDGED_BYTES;
}

/** As a checkout would write them, in the order of the changes. */
function headBlobs({
  repository,
  changes,
  headAt,
}: ContentsOptions): (path: PathName) => Promise<Buffer | null> {
  const wanted = changes.flatMap((change) =>
    [change, ...change.members].flatMap(({ path, fromPath, from }) => {
      const at = fromPath ?? path;
      const object = headAt(at);
      const isLink = from?.kind === "symlink";
      return object && isHeldKind(from) ? [{ path: at, id: object.id, isLink }] : [];
    }),
  );
  const places = new Map(wanted.map(({ path }, at) => [path, at]));
  const batches = new Map<number, Promise<(Buffer | null)[]>>();
  return async (path) => {
    const at = places.get(path);
    if (!repository || at === undefined) return null;
    const number = Math.floor(at / BATCH_BLOBS);
    let batch = batches.get(number);
    if (!batch) {
      const some = wanted.slice(number * BATCH_BLOBS, (number + 1) * BATCH_BLOBS);
      batch = readBlobs(
        repository,
        some.map(({ id, path: name, isLink }) => (isLink ? { id } : { id, path: name })),
      );
      batches.set(number, batch);
      const oldest = batches.keys().next().value;
      if (batches.size > KEPT_BATCHES && oldest !== undefined) batches.delete(oldest);
    }
    return (await batch)[at - number * BATCH_BLOBS] ?? null;
  };
}
