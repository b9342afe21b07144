// @ts-check
// The floor of a gateway's recovery: the same tables in the same engine, the statements of a start and nothing else, on one thread: its commits (each one row
// and one sync), the list of the sessions, what is open in all of them, and of each the last records, parsed. Nothing is judged, and no checksum is looked at.
import { openDatabase } from "../../dist/store/sqlite/load.js";

/** The journal of the gateway is begun and given back, its start and what it planned are written. */
const COMMITS = 4;
const EVIDENCE = 200;

/** @param {string} path of a store that nobody has open @param {string} workspace @returns {{ ms: number, found: number }} */
export function bareRecovery(path, workspace) {
  const db = openDatabase(path);
  db.exec("PRAGMA synchronous = FULL; PRAGMA cache_size = -16384");
  const startedMs = performance.now();
  for (let at = 1; at <= COMMITS; at++) {
    db.exec("BEGIN IMMEDIATE");
    db.prepare("INSERT INTO meta VALUES (?, ?)").run(`bench-${at}`, "x".repeat(300));
    db.exec("COMMIT");
  }
  const sessions = db
    .prepare("SELECT sid, id, facts, owner FROM sessions WHERE workspace = ? AND owner IS NOT NULL")
    .all(workspace);
  const ids = JSON.stringify(sessions.map(({ id }) => id));
  db.prepare(
    "SELECT * FROM open WHERE session IN (SELECT value FROM json_each(?)) ORDER BY session, seq",
  ).all(ids);
  const last = db.prepare("SELECT * FROM records WHERE n >= ? AND n <= ? ORDER BY n DESC LIMIT ?");
  for (const { sid, facts, owner } of sessions) {
    const rows = last.all(sid * 2 ** 32, (sid + 1) * 2 ** 32 - 1, EVIDENCE);
    void [facts, owner, ...rows.map(({ body }) => body)].map((text) => JSON.parse(text));
  }
  const ms = performance.now() - startedMs;
  db.close();
  return { ms, found: sessions.length };
}
