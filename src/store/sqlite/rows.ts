/** Rows of the tables as the driver's types, and back. The one place where column names are mapped. */
import type { ContentHash, RecordId, SessionId } from "../../model/ids.ts";
import type { JsonObject } from "../../model/json.ts";
import type { Owner } from "../../model/owner.ts";
import { rowChecksum } from "../checksum.ts";
import type { ClaimRow, ContentRow, RawRecord, SessionRow } from "../driver.ts";
import type { SqlRow, SqlValue } from "./load.ts";
import { seqOfKey } from "./record-key.ts";

const HASH_BYTES = 32;

export const hashToBlob = (hash: ContentHash): Uint8Array => Buffer.from(hash, "hex");

export const blobToHash = (blob: SqlValue): ContentHash =>
  Buffer.from(blob as Uint8Array).toString("hex") as ContentHash;

const nullableNumber = (value: SqlValue | undefined): number | null =>
  value === null || value === undefined ? null : Number(value);

export function toRawRecord(row: SqlRow): RawRecord {
  return {
    session: row.session as SessionId,
    seq: Number(row.seq),
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
export function fromRecord(row: Omit<RawRecord, "checksum">): SqlValue[] {
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

export function toClaim(row: SqlRow): ClaimRow {
  return {
    attempt: Number(row.attempt),
    owner: row.owner === null ? null : (JSON.parse(String(row.owner)) as Owner),
    acquiredAtMs: nullableNumber(row.acquired_at_ms),
    heartbeatAtMs: nullableNumber(row.heartbeat_at_ms),
    thresholdMs: Number(row.threshold_ms),
  };
}

export function toSession(row: SqlRow): SessionRow {
  return {
    id: row.id as SessionId,
    head: row.last === null || row.last === undefined ? 0 : seqOfKey(Number(row.last)),
    facts: JSON.parse(String(row.facts)) as JsonObject,
    claim: toClaim(row),
  };
}

export function toContent(row: SqlRow): ContentRow {
  const blob = Buffer.from(row.chunks as Uint8Array);
  const chunks: ContentHash[] = [];
  for (let at = 0; at < blob.length; at += HASH_BYTES) {
    chunks.push(blob.subarray(at, at + HASH_BYTES).toString("hex") as ContentHash);
  }
  return { hash: blobToHash(row.hash as SqlValue), bytes: Number(row.bytes), chunks };
}

export const chunksToBlob = (chunks: readonly ContentHash[]): Uint8Array =>
  Buffer.from(chunks.join(""), "hex");
