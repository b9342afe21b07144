/** Rows of the tables as the driver's types, and back. The one place where column names are mapped. */
import { RefloatError } from "../../model/errors.ts";
import type { ContentHash, RecordId, SessionId } from "../../model/ids.ts";
import type { JsonObject } from "../../model/json.ts";
import type { Owner } from "../../model/owner.ts";
import { rowChecksum } from "../contract/checksum.ts";
import type { ClaimRow, ContentRow, RawRecord, SessionRow } from "../contract/driver.ts";
import type { SqliteRow, SqliteValue } from "./load.ts";
import { seqOfKey } from "./record-key.ts";

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
  };
}

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
