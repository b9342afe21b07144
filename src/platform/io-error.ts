/** What the file system said, as an error of the catalogue (D6): the caller learns that nothing was saved and why. */
import { statfsSync } from "node:fs";
import { ensureError, RefloatError } from "../model/errors.ts";

const FULL: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT"]);
const READ_ONLY: ReadonlySet<string> = new Set(["EROFS", "EACCES", "EPERM"]);

export function ioError(thrown: unknown, path: string): RefloatError {
  if (thrown instanceof RefloatError) return thrown;
  const code = errnoOf(thrown);
  if (code !== null && FULL.has(code)) return new RefloatError("E_STORE_FULL", { path }, thrown);
  if (code !== null && READ_ONLY.has(code)) return new RefloatError("E_STORE_READ_ONLY", { path }, thrown);
  return new RefloatError("E_STORE_IO", { path, why: ensureError(thrown).message }, thrown);
}

/** The same of a write that is not the store's: into a work tree, or into git's own folder. */
export function diskError(thrown: unknown, path: string): RefloatError {
  const code = errnoOf(thrown);
  if (code !== null && FULL.has(code)) return new RefloatError("E_DISK_FULL", { path }, thrown);
  return ioError(thrown, path);
}

/**
 * What another program said when it could not write: where that is for want of space, the place that has none. Some leave the
 * system's reason out; then a file system without a free block, of those it may have written to, says it. Null: something else.
 */
export function fullPlace(said: string, places: readonly string[]): string | null {
  const full = places.find(hasNoBlock) ?? null;
  if (/No space left on device|Disk quota exceeded|Out of diskspace/.test(said))
    return full ?? places[0] ?? null;
  return /unable to (?:write|create|append)|could not write|write error/i.test(said) ? full : null;
}

function hasNoBlock(path: string): boolean {
  try {
    return statfsSync(path).bavail === 0;
  } catch (thrown) {
    if (errnoOf(thrown) === null) throw thrown;
    return false; // not there any more, or not ours to ask: no proof
  }
}

/** The system's name of the failure (ENOENT, EIO, ...), when that is what was thrown. */
export function errnoOf(thrown: unknown): string | null {
  if (!(thrown instanceof Error) || !("code" in thrown)) return null;
  return typeof thrown.code === "string" ? thrown.code : null;
}

/** What fails in it is said of this path, by the catalogue. */
export function guarded<Result>(path: string, use: () => Result): Result {
  try {
    return use();
  } catch (thrown) {
    throw ioError(thrown, path);
  }
}

/** What is at a path, or null where there is nothing. */
export function ifThere<Result>(path: string, read: () => Result): Result | null {
  try {
    return read();
  } catch (thrown) {
    if (errnoOf(thrown) === "ENOENT") return null;
    throw ioError(thrown, path);
  }
}

/** What the system tells of itself and of other processes; null where it does not, whatever the reason: it is no evidence then. */
export function readOrNull<Result>(read: () => Result): Result | null {
  try {
    return read();
  } catch (_unreadable) {
    return null;
  }
}
