/**
 * Locks on refs that a git command of ours left because it was killed together with us. Git makes them, so no inode is
 * known beforehand; one is proved ours by what is in it: the very commit the plan moves the ref to. An empty one could
 * be anybody's and stays: then the ref cannot be moved, and the error names the file.
 */
import { lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { removeTemporary } from "../../platform/private-file.ts";
import type { Location } from "../../workspace/git/locate.ts";
import type { RefSwap } from "../plans/draft.ts";

/** An id and a line feed; anything longer is not a lock on a ref. */
const MAX_LOCK_BYTES = 200;

export function clearRefLocks(location: Location, refs: readonly RefSwap[]): void {
  for (const { ref, put } of refs) {
    const lock = join(ref === "HEAD" ? location.gitDir : location.commonDir, `${ref}.lock`);
    const stat = lstatSync(lock, { throwIfNoEntry: false });
    if (put === null || !stat?.isFile() || stat.size > MAX_LOCK_BYTES) continue;
    if (readFileSync(lock, "latin1").trim() === put) removeTemporary(lock);
  }
}
