/**
 * What went wrong between us and the server, by what to do about it (D6). The library's errors carry the
 * statement with its values, which are the user's bodies: they never leave this file, not even as a cause.
 */
import { ensureError, RefloatError } from "../../model/errors.ts";
import { LOCK_WAIT_MS } from "../../model/limits.ts";
import { errnoOf } from "../../platform/io-error.ts";

export type PostgresTrouble =
  /** No connection was made: nothing of this reached the server. Worth another try. */
  | { readonly kind: "unreachable"; readonly cause: Error }
  /** The connection broke while the server may have been at it. Worth another try, if that is harmless. */
  | { readonly kind: "lost"; readonly cause: Error }
  /** A prepared statement of ours is not there, or somebody else's is: the pooler between us hands connections round. Nothing was done. */
  | { readonly kind: "unprepared"; readonly cause: Error }
  /** The server gave way to another transaction and undid ours. Worth another try. */
  | { readonly kind: "again"; readonly cause: Error }
  | { readonly kind: "final"; readonly error: RefloatError };

/** The attempt took longer than anything on a working network; whether the server got it is not known. */
export class NoAnswer extends Error {
  override readonly name = "NoAnswer";
}

const NOT_CONNECTED: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ENOENT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "CONNECT_TIMEOUT",
  // The server is starting up, shutting down, or has no connection to spare.
  "57P03",
  "53300",
]);
const CONNECTION_BROKE: ReadonlySet<string> = new Set([
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "CONNECTION_CLOSED",
  "CONNECTION_DESTROYED",
  "CONNECTION_ENDED",
  // Ended by an administrator, or by the crash of another process of the server.
  "57P01",
  "57P02",
]);
/** No such prepared statement; there is one of that name already. */
const UNPREPARED: ReadonlySet<string> = new Set(["26000", "42P05"]);
const UNDONE: ReadonlySet<string> = new Set(["40001", "40P01"]);

export function troubleOf(thrown: unknown, location: string): PostgresTrouble {
  if (thrown instanceof RefloatError) return { kind: "final", error: thrown };
  if (thrown instanceof NoAnswer) return { kind: "lost", cause: thrown };
  const code = codeOf(thrown);
  const cause = withoutValues(thrown, code);
  if (code !== null) {
    if (NOT_CONNECTED.has(code)) return { kind: "unreachable", cause };
    if (CONNECTION_BROKE.has(code) || code.startsWith("08")) return { kind: "lost", cause };
    if (UNPREPARED.has(code)) return { kind: "unprepared", cause };
    if (UNDONE.has(code)) return { kind: "again", cause };
  }
  return { kind: "final", error: finalError(code, location, cause, detailOf(thrown)) };
}

/** The five characters of SQL, or the system's or the client's name of the failure. */
const codeOf = errnoOf;

function withoutValues(thrown: unknown, code: string | null): Error {
  const { message, stack } = ensureError(thrown);
  const cause = new Error(message);
  if (stack !== undefined) cause.stack = stack;
  return code === null ? cause : Object.assign(cause, { code });
}

function finalError(code: string | null, path: string, cause: Error, detail: string): RefloatError {
  const why = cause.message;
  switch (code) {
    case "53100":
      return new RefloatError("E_STORE_FULL", { path }, cause);
    case "25006":
      return new RefloatError("E_STORE_READ_ONLY", { path }, cause);
    case "55P03":
      return new RefloatError("E_STORE_BUSY", { ms: LOCK_WAIT_MS }, cause);
    case "RF001":
      return new RefloatError("E_NO_CONTENT", { hash: detail }, cause);
    case "XX001":
    case "XX002":
      return new RefloatError("E_STORE_DAMAGED", { path, why }, cause);
    default:
      // 28: refused credentials. 3D: no such database. 42501: no right to it.
      return code !== null && /^(28|3D|42501)/.test(code)
        ? new RefloatError("E_STORE_UNREACHABLE", { url: path, why }, cause)
        : new RefloatError("E_STORE_IO", { path, why }, cause);
  }
}

function detailOf(thrown: unknown): string {
  return thrown instanceof Error && "detail" in thrown ? String(thrown.detail) : "";
}
