/** SQLite's errors as ours: what the caller must do decides the code (D6). */
import { ensureError, RefloatError } from "../../model/errors.ts";

/** Primary result codes of SQLite's C interface (the low byte of an extended code). */
const UNSPECIFIED = 1;
const BUSY = 5;
const LOCKED = 6;
const READONLY = 8;
const IOERR = 10;
const CORRUPT = 11;
const FULL = 13;
const CANTOPEN = 14;
const PROTOCOL = 15;
const NOTADB = 26;

export class StoreLocked extends Error {
  override readonly name = "StoreLocked";
}

export function sqliteError(thrown: unknown, path: string): Error {
  if (thrown instanceof RefloatError || thrown instanceof StoreLocked) return thrown;
  const error = ensureError(thrown);
  const why = error.message;
  switch (resultCode(error)) {
    case BUSY:
    case LOCKED:
    case PROTOCOL:
      return new StoreLocked(why, { cause: thrown });
    case READONLY:
      return new RefloatError("E_STORE_READ_ONLY", { path }, thrown);
    case FULL:
      return new RefloatError("E_STORE_FULL", { path }, thrown);
    case CANTOPEN:
    case IOERR:
      return new RefloatError("E_STORE_IO", { why }, thrown);
    case CORRUPT:
      return new RefloatError("E_STORE_DAMAGED", { path, why }, thrown);
    case NOTADB:
      return new RefloatError("E_STORE_NOT_OURS", { path, why }, thrown);
    default:
      return error;
  }
}

/** SQLite's own words; they have not changed in decades. */
const BY_MESSAGE: readonly (readonly [text: string, code: number])[] = [
  ["database is locked", BUSY],
  ["database table is locked", LOCKED],
  ["locking protocol", PROTOCOL],
  ["attempt to write a readonly database", READONLY],
  ["disk I/O error", IOERR],
  ["database disk image is malformed", CORRUPT],
  ["malformed database schema", CORRUPT],
  // Every statement fits the schema we made: if one does not, the schema is no longer that.
  ["no such table", CORRUPT],
  ["no such column", CORRUPT],
  ["has no column named", CORRUPT],
  ["database or disk is full", FULL],
  ["unable to open database file", CANTOPEN],
  ["file is not a database", NOTADB],
];

/**
 * node:sqlite always carries SQLite's extended result code; @photostructure/sqlite leaves it out of what
 * `prepare` and `all` throw.
 */
function resultCode(error: Error): number {
  const extended = (error as { errcode?: unknown }).errcode;
  if (typeof extended === "number" && extended !== UNSPECIFIED) return extended & 0xff;
  return BY_MESSAGE.find(([text]) => error.message.includes(text))?.[1] ?? -1;
}
