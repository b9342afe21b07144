/**
 * The bytes behind a hash, wherever they are: in the store, in the tree, or in a commit. Nothing is taken on trust:
 * whatever is found must have that hash. Bounded, because it is for showing.
 */
import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, readlinkSync } from "node:fs";
import type { ContentHash } from "../../model/ids.ts";
import { type PathName, pathToBytes } from "../../model/path-name.ts";
import { openDescriptorWalk } from "../../platform/descriptor-walk.ts";
import { errnoOf } from "../../platform/io-error.ts";
import { readWholeContent } from "../../store/content-store.ts";
import { hashOf } from "../../store/contract/content-hash.ts";
import type { Store } from "../../store/store.ts";
import { objectsAt, readBlobs } from "../git/objects.ts";
import type { Repository } from "../git/repository.ts";

export interface FinderOptions {
  readonly store: Store | null;
  readonly repository: Repository | null;
  readonly root: string;
  /** Commits whose blobs may be meant. */
  readonly commits: readonly (string | null)[];
  readonly maxBytes: number;
}

export type FindContent = (path: PathName, hash: ContentHash, size: number) => Promise<Buffer | null>;

export function contentFinder(options: FinderOptions): FindContent {
  return async (path, hash, size) => {
    if (size > options.maxBytes) return null;
    return (
      (await inStore(options, hash)) ??
      proved(inTree(options, path), hash) ??
      (await inCommits(options, path, hash))
    );
  };
}

const proved = (bytes: Buffer | null, hash: ContentHash): Buffer | null =>
  bytes !== null && hashOf(bytes) === hash ? bytes : null;

async function inStore({ store, maxBytes }: FinderOptions, hash: ContentHash): Promise<Buffer | null> {
  const content = await store?.driver.readContent(hash);
  if (!store || !content || content.bytes > maxBytes) return null;
  return readWholeContent(store.driver, hash);
}

function inTree({ root, maxBytes }: FinderOptions, path: PathName): Buffer | null {
  const walk = openDescriptorWalk(root);
  try {
    const reached = walk.reach(pathToBytes(path));
    if (reached.kind === "unreachable") return null;
    if (lstatSync(reached.at).isSymbolicLink())
      return readlinkSync(reached.at, { encoding: "buffer" }) as unknown as Buffer;
    const fd = openSync(reached.at, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stat = fstatSync(fd);
      return stat.isFile() && stat.size <= maxBytes ? readFileSync(fd) : null;
    } finally {
      closeSync(fd);
    }
  } catch (thrown) {
    // Not there, a socket, or not ours to read: then it is not what is looked for.
    if (errnoOf(thrown) !== null) return null;
    throw thrown;
  } finally {
    walk.close();
  }
}

async function inCommits(
  { repository, commits }: FinderOptions,
  path: PathName,
  hash: ContentHash,
): Promise<Buffer | null> {
  if (!repository) return null;
  for (const commit of new Set(commits)) {
    if (commit === null) continue;
    const object = (await objectsAt(repository, commit, [path])).get(path);
    if (!object) continue;
    for (const bytes of await readBlobs(repository, [{ id: object.id, path }, { id: object.id }])) {
      const found = proved(bytes ?? null, hash);
      if (found) return found;
    }
  }
  return null;
}
