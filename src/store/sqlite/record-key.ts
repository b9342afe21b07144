/**
 * A record's rowid is its session's number and its sequence number in one integer. So a session's journal
 * lies together in the table, in order; reading a range needs no index and an append writes one page less
 * (every page of a commit is checksummed and synced: P1).
 */
import { RefloatError } from "../../model/errors.ts";
import type { Connection } from "./connection.ts";

/** Sequence numbers of one session ... */
const SEQS_PER_SESSION = 2 ** 32;
/** ... and sessions of one store: together they fill the 53 bits a JavaScript number holds exactly. */
const MAX_SESSIONS = 2 ** 21 - 1;

export function recordKey(sid: number, seq: number): number {
  return sid * SEQS_PER_SESSION + Math.min(Math.max(seq, 0), SEQS_PER_SESSION - 1);
}

export const seqOfKey = (key: number): number => key % SEQS_PER_SESSION;

/** SQL for a session's last key, given its `sid` column. */
export const LAST_KEY_SQL = `(SELECT max(n) FROM records WHERE n >= sid * ${SEQS_PER_SESSION} AND n < (sid + 1) * ${SEQS_PER_SESSION})`;

/** The number of a session, null when it does not exist. */
export function sidOf(db: Connection, session: string): number | null {
  const row = db.get("SELECT sid FROM sessions WHERE id = ?", session);
  return row ? Number(row.sid) : null;
}

export function createSession(db: Connection, session: string): number {
  db.run("INSERT INTO sessions (id, facts, attempt, threshold_ms) VALUES (?, '{}', 0, 0)", session);
  const sid = sidOf(db, session) ?? 0;
  if (sid > MAX_SESSIONS)
    throw new RefloatError("E_TOO_LARGE", { what: "The store", bytes: sid, limit: MAX_SESSIONS });
  return sid;
}
