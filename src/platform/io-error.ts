/** What the file system said, as an error of the catalogue (D6): the caller learns that nothing was saved and why. */
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

/** The system's name of the failure (ENOENT, EIO, ...), when that is what was thrown. */
export function errnoOf(thrown: unknown): string | null {
  if (!(thrown instanceof Error) || !("code" in thrown)) return null;
  return typeof thrown.code === "string" ? thrown.code : null;
}
