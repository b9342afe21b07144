/**
 * What went wrong between us and the server, by what to do about it (D6). The driver's own errors carry the
 * statement and its parameters in hidden fields, never the password.
 */
import { ensureError, RefloatError } from "../../model/errors.ts";
import { LOCK_WAIT_MS } from "../../model/limits.ts";
import { errnoOf } from "../../platform/io-error.ts";

export type Trouble =
  /** No connection was made: nothing of this reached the server. Worth another try. */
  | { readonly kind: "unreachable"; readonly why: string }
  /** The connection broke while the server may have been at it. Worth another try, if that is harmless. */
  | { readonly kind: "lost"; readonly why: string }
  /** The server gave way to another transaction and undid ours. Worth another try. */
  | { readonly kind: "again"; readonly why: string }
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
const UNDONE: ReadonlySet<string> = new Set(["40001", "40P01"]);

export function troubleOf(thrown: unknown, location: string): Trouble {
  if (thrown instanceof RefloatError) return { kind: "final", error: thrown };
  const why = ensureError(thrown).message;
  if (thrown instanceof NoAnswer) return { kind: "lost", why };
  const code = codeOf(thrown);
  if (code !== null) {
    if (NOT_CONNECTED.has(code)) return { kind: "unreachable", why };
    if (CONNECTION_BROKE.has(code) || code.startsWith("08")) return { kind: "lost", why };
    if (UNDONE.has(code)) return { kind: "again", why };
  }
  return { kind: "final", error: finalError(code, why, location, thrown) };
}

/** The five characters of SQL, or the system's or the client's name of the failure. */
export const codeOf = errnoOf;

function finalError(code: string | null, why: string, location: string, thrown: unknown): RefloatError {
  switch (code) {
    case "53100":
      return new RefloatError("E_STORE_FULL", { path: location }, thrown);
    case "25006":
      return new RefloatError("E_STORE_READ_ONLY", { path: location }, thrown);
    case "55P03":
      return new RefloatError("E_STORE_BUSY", { ms: LOCK_WAIT_MS }, thrown);
    case "RF001":
      return new RefloatError("E_NO_CONTENT", { hash: detailOf(thrown) }, thrown);
    case "XX001":
    case "XX002":
      return new RefloatError("E_STORE_DAMAGED", { path: location, why }, thrown);
    default:
      // 28: refused credentials. 3D: no such database. 42501: no right to it.
      return code !== null && /^(28|3D|42501)/.test(code)
        ? new RefloatError("E_STORE_UNREACHABLE", { url: location, why }, thrown)
        : new RefloatError("E_STORE_IO", { path: location, why }, thrown);
  }
}

function detailOf(thrown: unknown): string {
  return thrown instanceof Error && "detail" in thrown ? String(thrown.detail) : "";
}
