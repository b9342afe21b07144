/** Rows of the tables as the driver's types, and back. The one place where column names are mapped. */
import { RefloatError } from "../../model/errors.ts";
import type { ContentHash, RecordId, SessionId } from "../../model/ids.ts";
import type { JsonObject } from "../../model/json.ts";
import type { Owner } from "../../model/owner.ts";
import type { ClaimRow, ContentRow, OpenRow, RawRecord, SessionRow } from "../contract/driver.ts";
import { rowChecksum } from "../contract/row-checksum.ts";
import type { Connection } from "./connection.ts";
import type { SqliteRow, SqliteValue } from "./load.ts";

// A record's rowid is its session's number and its sequence number in one integer. So a session's journal
// lies together in the table, in order; reading a range needs no index and an append writes one page less
// (every page of a commit is checksummed and synced: P1).

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

/** SQL for the time of a session's last record, given its `sid` column. */
export const LAST_TIME_SQL = `(SELECT at_ms FROM records WHERE n >= sid * ${SEQS_PER_SESSION} AND n < (sid + 1) * ${SEQS_PER_SESSION}
  ORDER BY n DESC LIMIT 1)`;

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

const HASH_BYTES = 32;

export const hashToBlob = (hash: ContentHash): Uint8Array => Buffer.from(hash, "hex");

export const blobToHash = (blob: SqliteValue): ContentHash =>
  Buffer.from(blob as Uint8Array).toString("hex") as ContentHash;

const nullableNumber = (value: SqliteValue | undefined): number | null =>
  value === null || value === undefined ? null : Number(value);

export function toRawRecord(row: SqliteRow): RawRecord {
  return {
    session: row.session as SessionId,
    // Of the key, not of the column: a damaged column must not make a reader skip rows or go round in circles.
    seq: seqOfKey(Number(row.n)),
    id: row.id as RecordId,
    kind: String(row.kind),
    attempt: nullableNumber(row.attempt),
    atMs: Number(row.at_ms),
    body: String(row.body),
    spilled: row.spilled ? blobToHash(row.spilled) : null,
    isForgotten: Number(row.forgotten) === 1,
    checksum: Number(row.checksum),
  };
}

/** The values of an INSERT into records, in the order of its columns, checksum included. */
export function fromRecord(row: Omit<RawRecord, "checksum">): SqliteValue[] {
  return [
    row.session,
    row.seq,
    row.id,
    row.kind,
    row.attempt,
    row.atMs,
    row.body,
    row.spilled ? hashToBlob(row.spilled) : null,
    row.isForgotten ? 1 : 0,
    rowChecksum(row),
  ];
}

/** Text that we wrote as JSON: anything else is damage. */
function parsed(text: SqliteValue | undefined): unknown {
  try {
    return JSON.parse(String(text));
  } catch (thrown) {
    const why = "a session's row is not what was written";
    throw new RefloatError("E_STORE_DAMAGED", { path: "the sessions", why }, thrown);
  }
}

function toClaim(row: SqliteRow): ClaimRow {
  return {
    attempt: Number(row.attempt),
    owner: row.owner === null ? null : (parsed(row.owner) as Owner),
    acquiredAtMs: nullableNumber(row.acquired_at_ms),
    heartbeatAtMs: nullableNumber(row.heartbeat_at_ms),
    thresholdMs: Number(row.threshold_ms),
  };
}

export function toSession(row: SqliteRow): SessionRow {
  return {
    id: row.id as SessionId,
    head: row.last === null || row.last === undefined ? 0 : seqOfKey(Number(row.last)),
    facts: parsed(row.facts) as JsonObject,
    claim: toClaim(row),
    ...(typeof row.last_at_ms === "number" ? { lastAtMs: row.last_at_ms } : {}),
  };
}

export const toOpen = (row: SqliteRow): OpenRow => ({
  what: row.what as OpenRow["what"],
  id: String(row.id),
  seq: Number(row.seq),
});

export function toContent(row: SqliteRow): ContentRow {
  const blob = Buffer.from(row.chunks as Uint8Array);
  const chunks: ContentHash[] = [];
  for (let at = 0; at < blob.length; at += HASH_BYTES) {
    chunks.push(blob.subarray(at, at + HASH_BYTES).toString("hex") as ContentHash);
  }
  return { hash: blobToHash(row.hash as SqliteValue), bytes: Number(row.bytes), chunks };
}

export const chunksToBlob = (chunks: readonly ContentHash[]): Uint8Array =>
  Buffer.from(chunks.join(""), "hex");
