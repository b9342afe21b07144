/** Rows of the tables as the driver's types. The one place where column names are mapped. */
import type { ContentHash, RecordId, SessionId } from "../../model/ids.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import type { Owner } from "../../model/owner.ts";
import type { OpenWhat } from "../../model/record.ts";
import type { ClaimRow, ContentRow, OpenRow, RawRecord, RefRow, SessionRow } from "../contract/driver.ts";
import type { PostgresRow } from "./wire.ts";

const HASH_HEX = 64;

/** Hashes come as hex from the server, because the library's own bytes would have to be turned into it anyway. */
export const RECORD_COLUMNS =
  "session, seq, id, kind, attempt, at_ms, body, encode(spilled, 'hex') AS spilled, forgotten, checksum";
export const CONTENT_COLUMNS = "encode(hash, 'hex') AS hash, bytes, encode(chunks, 'hex') AS chunks";

/** Of the rows of `sessions`, with the time of the last record, which no column of theirs holds: an append would write it each time. */
export const sessionRows = (s: string): string =>
  `(SELECT h.*, (SELECT r.at_ms FROM ${s}.records r WHERE r.session = h.id AND r.seq = h.head) AS last_at_ms FROM ${s}.sessions h)`;

const nullableNumber = (value: unknown): number | null => (value === null ? null : Number(value));

export function toRawRecord(row: PostgresRow): RawRecord {
  return {
    session: row.session as SessionId,
    seq: Number(row.seq),
    id: row.id as RecordId,
    kind: String(row.kind),
    attempt: nullableNumber(row.attempt),
    atMs: Number(row.at_ms),
    body: String(row.body),
    spilled: row.spilled as ContentHash | null,
    isForgotten: row.forgotten === true,
    checksum: Number(row.checksum),
  };
}

export function toOwner(text: unknown): Owner | null {
  return typeof text === "string" ? (JSON.parse(text) as Owner) : null;
}

export function toSession(row: PostgresRow): SessionRow {
  const claim: ClaimRow = {
    attempt: Number(row.attempt),
    owner: toOwner(row.owner),
    acquiredAtMs: nullableNumber(row.acquired_at_ms),
    heartbeatAtMs: nullableNumber(row.heartbeat_at_ms),
    thresholdMs: Number(row.threshold_ms),
  };
  const facts = row.facts as Readonly<Record<string, string>>;
  const { last_at_ms: last } = row;
  return {
    ...{ id: row.id as SessionId, head: Number(row.head), facts: fromFactsColumn(facts), claim },
    ...(last === null || last === undefined ? {} : { lastAtMs: Number(last) }),
  };
}

/** Keys and values as JSON text (tables-sql.ts says why). */
export function toFactsColumn(facts: JsonObject): Record<string, string> {
  const column: Record<string, string> = {};
  for (const [key, value] of Object.entries(facts)) {
    if (value !== undefined) column[JSON.stringify(key)] = JSON.stringify(value);
  }
  return column;
}

function fromFactsColumn(column: Readonly<Record<string, string>>): JsonObject {
  const entries = Object.entries(column).map(
    ([key, value]) => [JSON.parse(key), JSON.parse(value)] as [string, Json],
  );
  return Object.fromEntries(entries);
}

export function toOpen(row: PostgresRow): OpenRow {
  return {
    what: row.what as OpenWhat,
    id: JSON.parse(String(row.id)) as string,
    seq: Number(row.seq),
  };
}

export function toRef(row: PostgresRow): RefRow {
  const path = row.path === null ? null : (JSON.parse(String(row.path)) as string);
  return { hash: row.hash as ContentHash, seq: Number(row.seq), path };
}

export function toContent(row: PostgresRow): ContentRow {
  const hex = String(row.chunks);
  const chunks: ContentHash[] = [];
  for (let at = 0; at < hex.length; at += HASH_HEX) chunks.push(hex.slice(at, at + HASH_HEX) as ContentHash);
  return { hash: row.hash as ContentHash, bytes: Number(row.bytes), chunks };
}
