// @ts-check
// The limit of an append: the same tables in the same engine with the same sync, and nothing else. One row whose values are ready, in a
// transaction of its own, by statements that were prepared; no claim is looked at, no id, no file, and nobody waits for an answer.
// What an append of the store takes beyond this is ours; what this takes beyond the raw write is SQLite's: three to four pages
// of 4 KiB in its log for each row of 1 KiB, the page of the row, that of its id, and where a page is full the new one and what points to it.
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { openDatabase } from "../../dist/store/sqlite/load.js";
import { MIGRATIONS } from "../../dist/store/sqlite/migrations.js";
import { incompressibleText } from "../raw.mjs";

/** The store's own settings (open-file.ts, connection.ts). */
const SETTINGS = `PRAGMA page_size = 4096; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
  PRAGMA wal_autocheckpoint = 0; PRAGMA cache_size = -16384; PRAGMA secure_delete = FAST`;
/** About as often as the store copies its log: after a thousand pages. */
const ROWS_PER_CHECKPOINT = 200;
/** Rows of one session have keys of their own, far from those of the next (rows.ts). */
const KEYS_PER_SESSION = 2 ** 32;
/** Who waits for another process waits as long as it takes: SQLite's own waiting, no baton. */
const BUSY_MS = 60_000;

/** Before the processes that share it open it. @param {string} path */
export function makeBareDatabase(path) {
  const db = openDatabase(path);
  db.exec(SETTINGS);
  for (const { sql } of MIGRATIONS) db.exec(sql);
  db.close();
}

/**
 * One call is one transaction, with a row for each session from `first` on.
 * @param {string} path @param {number} bytes @param {{ first: number, sessions: number }} which
 */
export function bareWriter(path, bytes, { first, sessions }) {
  const db = openDatabase(path);
  db.exec(`PRAGMA busy_timeout = ${BUSY_MS}; ${SETTINGS}`);
  const begin = db.prepare("BEGIN IMMEDIATE");
  const commit = db.prepare("COMMIT");
  const insert = db.prepare("INSERT INTO records VALUES (?,?,?,?,?,?,?,?,?,?,?)");
  const body = incompressibleText(bytes);
  let seq = 0;
  return {
    run: () => {
      seq++;
      begin.run();
      for (let of = first; of < first + sessions; of++) {
        const id = randomBytes(10).toString("hex");
        const key = of * KEYS_PER_SESSION + seq;
        insert.run(key, `session-${of}`, seq, id, "message.added", 1, 1, body, null, 0, 1);
      }
      commit.run();
      if (seq % Math.ceil(ROWS_PER_CHECKPOINT / sessions) === 0) db.exec("PRAGMA wal_checkpoint(PASSIVE)");
    },
    close: () => db.close(),
  };
}

/** @param {string} dir @param {number} bytes @param {number} [sessions] @returns {import("../raw.mjs").Variant & { close: () => void }} */
export function bareAppend(dir, bytes, sessions = 1) {
  const path = join(dir, `bare-${sessions}.db`);
  makeBareDatabase(path);
  return { name: "bare", ...bareWriter(path, bytes, { first: 1, sessions }) };
}
