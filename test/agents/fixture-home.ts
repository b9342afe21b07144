/**
 * The home of a fixture. Databases are kept as text (`NAME.db.json`: each table's statement and rows), so that one can read what is in
 * them; here they are made, with all rows in the log, as a killed agent leaves them.
 */
import { copyFileSync, cpSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { openDatabase, type SqliteValue } from "../../src/store/sqlite/load.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const DUMP = /\.db\.json$/;

interface DumpedTable {
  readonly sql: string;
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}

export function homeOf(fixture: string): string {
  const dumps = readdirSync(fixture, { recursive: true, encoding: "utf8" }).filter((name) => DUMP.test(name));
  if (dumps.length === 0) return fixture;
  const home = join(temporaryFolder(), "home");
  cpSync(fixture, home, { recursive: true });
  for (const dump of dumps) {
    const tables = JSON.parse(readFileSync(join(fixture, dump), "utf8")) as Record<string, DumpedTable>;
    makeDatabase(join(home, dump.replace(DUMP, ".db")), tables);
    rmSync(join(home, dump));
  }
  return home;
}

/** Copied away while it is open: closing it would move the log's rows into the file. */
export function makeDatabase(path: string, tables: Readonly<Record<string, DumpedTable>>): void {
  const making = join(temporaryFolder(), "making.db");
  const db = openDatabase(making);
  db.exec("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; PRAGMA foreign_keys = OFF");
  for (const [table, { sql, rows }] of Object.entries(tables)) {
    db.exec(sql);
    for (const row of rows) {
      const names = Object.keys(row);
      const marks = names.map(() => "?").join(", ");
      db.prepare(
        `INSERT INTO "${table}" (${names.map((name) => `"${name}"`).join(", ")}) VALUES (${marks})`,
      ).run(...names.map((name) => stored(row[name])));
    }
  }
  for (const suffix of ["", "-wal", "-shm"]) copyFileSync(making + suffix, path + suffix);
  db.close();
}

function stored(value: unknown): SqliteValue {
  if (value === null || typeof value === "string" || typeof value === "number") return value;
  return JSON.stringify(value);
}
