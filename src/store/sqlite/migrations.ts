/**
 * The schema, as numbered steps forward. Each runs once, all missing ones in one transaction; the number of
 * the last one is the file's user_version. A store from a newer refloat is refused, never downgraded.
 *
 * Why these shapes:
 *  - `records` carries the session's id in every row, so that a row found by the page scanner (salvage/) is
 *    complete by itself; its rowid `n` is made of the session's number and the sequence number (rows.ts).
 *  - `sessions` and `open` are projections: they can be dropped and computed again from `records`.
 *  - A content of one chunk has that chunk's hash; `pieces` (a projection too) lists the chunks of longer ones.
 *  - Chunks and contents are addressed by SHA-256; no side files, so one transaction covers everything (D1).
 */
import { RefloatError } from "../../model/errors.ts";
import type { Connection } from "./connection.ts";

/** "refl", so that `file(1)` and we can tell whose database this is. */
export const APPLICATION_ID = 0x7265666c;
export const PAGE_BYTES = 4096;

export interface SqliteMigration {
  readonly name: string;
  readonly sql: string;
}

export const MIGRATIONS: readonly SqliteMigration[] = [
  {
    name: "0001-initial",
    sql: `
      CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
      CREATE TABLE sessions (
        sid INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, facts TEXT NOT NULL, workspace TEXT, name TEXT,
        attempt INTEGER NOT NULL, owner TEXT, acquired_at_ms INTEGER, heartbeat_at_ms INTEGER,
        threshold_ms INTEGER NOT NULL
      ) STRICT;
      CREATE INDEX sessions_workspace ON sessions (workspace);
      CREATE TABLE records (
        n INTEGER PRIMARY KEY, session TEXT NOT NULL, seq INTEGER NOT NULL, id TEXT NOT NULL,
        kind TEXT NOT NULL, attempt INTEGER, at_ms INTEGER NOT NULL, body TEXT NOT NULL, spilled BLOB,
        forgotten INTEGER NOT NULL, checksum INTEGER NOT NULL
      ) STRICT;
      CREATE UNIQUE INDEX records_id ON records (session, id);
      CREATE TABLE open (
        session TEXT NOT NULL, what TEXT NOT NULL, id TEXT NOT NULL, seq INTEGER NOT NULL,
        PRIMARY KEY (session, what, id)
      ) STRICT, WITHOUT ROWID;
      CREATE TABLE chunks (
        n INTEGER PRIMARY KEY, hash BLOB NOT NULL UNIQUE, bytes BLOB NOT NULL, put_at_ms INTEGER NOT NULL
      ) STRICT;
      CREATE TABLE contents (
        n INTEGER PRIMARY KEY, hash BLOB NOT NULL UNIQUE, bytes INTEGER NOT NULL, chunks BLOB NOT NULL,
        put_at_ms INTEGER NOT NULL
      ) STRICT;
      CREATE TABLE pieces (chunk BLOB NOT NULL, content BLOB NOT NULL, PRIMARY KEY (chunk, content)) STRICT, WITHOUT ROWID;
      CREATE INDEX pieces_content ON pieces (content);
      CREATE TABLE refs (
        n INTEGER PRIMARY KEY, hash BLOB NOT NULL, session TEXT NOT NULL, seq INTEGER NOT NULL, path TEXT
      ) STRICT;
      CREATE INDEX refs_hash ON refs (hash);
      CREATE INDEX refs_record ON refs (session, seq);
    `,
  },
];

/** Brings the schema to the newest number. Safe when two processes do it at once: the second finds it done. */
export function migrate(connection: Connection, migrations: readonly SqliteMigration[] = MIGRATIONS): void {
  if (connection.number("PRAGMA user_version") === migrations.length) return;
  connection.transaction(() => {
    const found = connection.number("PRAGMA user_version");
    if (found > migrations.length)
      throw new RefloatError("E_STORE_NEWER", { path: connection.path, found, known: migrations.length });
    for (const migration of migrations.slice(found)) connection.exec(migration.sql);
    connection.exec(`PRAGMA user_version = ${migrations.length}`);
  });
}
