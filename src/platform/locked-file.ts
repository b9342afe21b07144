/**
 * Puts a whole new file in the place of another under git's own protocol: whoever has `<file>.lock` may replace the
 * file. The new one is complete and synced under a name of ours first; the lock is a second name of that very file,
 * so a lock that a kill leaves is proved ours by its inode, and is held only between two system calls (S6).
 */
import { copyFileSync, linkSync, lstatSync, renameSync, rmSync, unlinkSync, utimesSync } from "node:fs";
import { dirname } from "node:path";
import { crashPoint } from "./crash-point.ts";
import { syncDirectory } from "./durable-file.ts";
import { diskError, errnoOf } from "./io-error.ts";
import { syncFile } from "./private-file.ts";

export interface LockedFile {
  /** The new file, complete. */
  readonly fresh: string;
  readonly lock: string;
  readonly target: string;
}

/** `moved`: the target is not what the new file was made from; nothing was changed. */
export type PublishOutcome = "published" | "locked" | "moved";

export function publishLocked({ fresh, lock, target }: LockedFile, isStill: () => boolean): PublishOutcome {
  syncFile(fresh);
  try {
    linkSync(fresh, lock);
  } catch (thrown) {
    if (errnoOf(thrown) === "EEXIST") return "locked";
    throw diskError(thrown, lock);
  }
  crashPoint("act.index-locked");
  if (!isStill()) {
    unlinkSync(lock);
    return "moved";
  }
  renameSync(lock, target);
  crashPoint("act.index-published");
  rmSync(fresh, { force: true });
  syncDirectory(dirname(target));
  return "published";
}

/**
 * A copy to work on, as old as what it is a copy of: git takes a file that was written as late as its index for
 * possibly changed and looks at its bytes, and as unchanged where the index is younger. A copy that is younger than
 * its source would hide such a change from git for good, and the next checkout would write over it (S6). Whole
 * seconds, rounded down: older only makes git look more often. Nothing to copy: nothing is made.
 */
export function copyForEditing(from: string, to: string): void {
  rmSync(to, { force: true });
  try {
    const writtenAt = Math.floor(lstatSync(from).mtimeMs / 1000);
    copyFileSync(from, to);
    utimesSync(to, writtenAt, writtenAt);
  } catch (thrown) {
    if (errnoOf(thrown) !== "ENOENT") throw diskError(thrown, to);
  }
}

/** What a kill left of `publishLocked`: our own file, and the lock if it is the same file. */
export function removeLeftLock({ fresh, lock }: LockedFile): void {
  const ours = lstatSync(fresh, { bigint: true, throwIfNoEntry: false });
  const held = lstatSync(lock, { bigint: true, throwIfNoEntry: false });
  if (ours && held && ours.dev === held.dev && ours.ino === held.ino) unlinkSync(lock);
  rmSync(fresh, { force: true });
  // Git's own lock on our file, left by a git that was killed with us.
  rmSync(`${fresh}.lock`, { force: true });
}
