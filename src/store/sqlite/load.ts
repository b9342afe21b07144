/**
 * The SQLite engine: `node:sqlite` where Node has it (22.13 and later, 23.4 and later), the same API from
 * @photostructure/sqlite on Node 20, which the build carries a copy of. Everything here programs to the one API.
 *
 * A statement of @photostructure/sqlite does not keep its connection alive: if the DatabaseSync object is
 * collected while a statement lives, the process crashes. So nothing outside `Connection` may hold a
 * statement, and `Connection` holds both (test: connection-gc.test.ts, run with --expose-gc).
 */
import { isBuiltin } from "node:module";
import { ensureError, RefloatError } from "../../model/errors.ts";
import { requireCarried, requireInstalled } from "../../platform/own-files.ts";

export type SqliteValue = null | number | bigint | string | Uint8Array;
export type SqliteRow = Record<string, SqliteValue>;

export interface SqlStatement {
  run(...values: SqliteValue[]): { changes: number | bigint; lastInsertRowid: number | bigint };
  get(...values: SqliteValue[]): unknown;
  all(...values: SqliteValue[]): unknown[];
}

export interface SqlDatabase {
  exec(sql: string): void;
  prepare(sql: string): SqlStatement;
  close(): void;
}

type DatabaseConstructor = new (path: string, options?: { readOnly?: boolean }) => SqlDatabase;

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
// 22.13 and 23.4 were the first of their lines to have it without a flag. Bun says that it is a newer Node, and has it not.
const hasBuiltIn =
  (major > 23 || (major === 23 && minor >= 4) || (major === 22 && minor >= 13)) && isBuiltin("node:sqlite");

const CARRIED = "@photostructure/sqlite";
export const sqliteEngineName = hasBuiltIn ? "node:sqlite" : CARRIED;

let loaded: DatabaseConstructor | null = null;

export function openDatabase(path: string, options: { readOnly?: boolean } = {}): SqlDatabase {
  loaded ??= load();
  return new loaded(path, options);
}

function load(): DatabaseConstructor {
  if (!hasBuiltIn) return carried();
  // Node 22 announces on stderr that its SQLite is experimental; that line belongs to nobody's output.
  const emitWarning = process.emitWarning;
  process.emitWarning = () => undefined;
  try {
    return (requireInstalled("node:sqlite") as { DatabaseSync: DatabaseConstructor }).DatabaseSync;
  } finally {
    process.emitWarning = emitWarning;
  }
}

function carried(): DatabaseConstructor {
  try {
    return (requireCarried(CARRIED, "sqlite") as { DatabaseSync: DatabaseConstructor }).DatabaseSync;
  } catch (thrown) {
    // A processor or a C library that nobody built it for.
    const [why = ""] = ensureError(thrown).message.split("\n");
    const instead =
      "Use Node 22.13 or later, which has SQLite of its own, or a store in PostgreSQL (docs/durability.md).";
    throw new RefloatError("E_UNSUPPORTED", { what: "A store in a file", why, instead }, thrown);
  }
}
