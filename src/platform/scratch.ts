/** Private folders that live as long as one piece of work, in memory where the machine has such a place. */
import { chmodSync, copyFileSync, mkdtempSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { errnoOf, guarded } from "./io-error.ts";

const MEMORY_FOLDER = "/dev/shm";

/** A new 0700 folder with room for `bytes`: in memory if it fits there, else in the temporary folder. */
export function makeScratchDirectory(prefix: string, bytes: number): string {
  const parent = hasRoom(MEMORY_FOLDER, bytes) ? MEMORY_FOLDER : tmpdir();
  return guarded(parent, () => mkdtempSync(join(parent, prefix)));
}

/** A new 0700 folder in the temporary folder, for what may be looked at afterwards. */
export const makeTemporaryDirectory = (prefix: string): string =>
  guarded(tmpdir(), () => mkdtempSync(join(tmpdir(), prefix)));

export function copyPrivately(from: string, to: string): void {
  guarded(to, () => {
    copyFileSync(from, to);
    chmodSync(to, 0o600);
  });
}

/** For folders made by the two functions above, for run folders, and for what of the store's folder is ours (`uninstall --purge`). */
export function removeScratch(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

function hasRoom(folder: string, bytes: number): boolean {
  try {
    const fs = statfsSync(folder);
    return fs.bavail * fs.bsize > 2 * bytes;
  } catch (thrown) {
    if (errnoOf(thrown) === "ENOENT" || errnoOf(thrown) === "EACCES") return false;
    throw thrown;
  }
}
