/**
 * Export as JSONL. Redacted by default (T4): the text of every body loses its secrets and says so, and file
 * contents that may hold one are left out and named; `raw` gives everything as it is.
 */
import type { ContentHash, SessionId } from "../model/ids.ts";
import { encodeJson, type JsonObject } from "../model/json.ts";
import { READ_PAGE_ROWS } from "../model/limits.ts";
import { isOwnKindName } from "../model/own-kind.ts";
import { bodyAs, type StoredRecord } from "../model/record.ts";
import { fileMayHoldSecret, redactJson } from "../text/redact.ts";
import { readWholeContent } from "./content-store.ts";
import { hashOf } from "./contract/content-hash.ts";
import type { RefRow, SessionRow } from "./contract/driver.ts";
import { EXPORT_SCHEMA, type ExportLine, type RecordLine, type TransferHead } from "./export-format.ts";
import type { Store } from "./store.ts";

export interface ExportOptions {
  /** Left out: all of them. */
  readonly sessions?: readonly string[];
  readonly raw?: boolean;
}

export async function* exportLines(store: Store, options: ExportOptions = {}): AsyncGenerator<string> {
  const raw = options.raw ?? false;
  const { storeId } = await store.driver.info();
  yield line({ type: "header", schema: EXPORT_SCHEMA, store: storeId, redacted: !raw });
  const sent = new Set<string>();
  let sessions = 0;
  let records = 0;
  for await (const row of chosen(store, options.sessions)) {
    sessions++;
    yield line({ type: "session", id: row.id, attempt: row.claim.attempt, head: row.head });
    // Up to the head seen now: a session that is being written to is exported as of this moment.
    records += yield* journalLines(store, row.id, { from: 1, to: row.head }, { raw, sent });
  }
  yield line({ type: "end", sessions, records });
}

export interface TransferCut {
  readonly row: SessionRow;
  readonly transfer: TransferHead;
  /** The last record of the first part. */
  readonly offered: number;
}

/**
 * One session on its way to another store, everything as it is, in two parts: `offer` is sent while it still goes on here, `seal` only
 * after it was recorded here that it does not. Without the seal nobody can take it in.
 */
export async function* transferLines(
  store: Store,
  { row, transfer, offered }: TransferCut,
  part: "offer" | "seal",
): AsyncGenerator<string> {
  if (part === "offer") {
    const { storeId } = await store.driver.info();
    yield line({ type: "header", schema: EXPORT_SCHEMA, store: storeId, redacted: false, transfer });
    yield line({ type: "session", id: row.id, attempt: row.claim.attempt, head: row.head });
  }
  const range = part === "offer" ? { from: 1, to: offered } : { from: offered + 1, to: row.head };
  yield* journalLines(store, row.id, range, { raw: true, sent: new Set() });
  if (part === "seal") yield line({ type: "end", sessions: 1, records: row.head });
}

async function* chosen(store: Store, ids: readonly string[] | undefined): AsyncGenerator<SessionRow> {
  if (!ids) return yield* store.everySession();
  for (const id of ids) {
    const row = await store.session(id as SessionId);
    if (row) yield row;
  }
}

/** How many records they are. */
async function* journalLines(
  store: Store,
  session: SessionId,
  range: { readonly from: number; readonly to: number },
  how: { raw: boolean; sent: Set<string> },
): AsyncGenerator<string, number> {
  let records = 0;
  for (let from = range.from; from <= range.to; from += READ_PAGE_ROWS) {
    const to = Math.min(from + READ_PAGE_ROWS - 1, range.to);
    const refs = await store.driver.readRefs(session, from, to);
    for (const record of await store.records({ session, fromSeq: from, toSeq: to })) {
      records++;
      const own = refs.filter(({ seq }) => seq === record.seq);
      yield* recordLines(store, record, own, how);
    }
  }
  return records;
}

async function* recordLines(
  store: Store,
  record: StoredRecord,
  refs: readonly RefRow[],
  how: { raw: boolean; sent: Set<string> },
): AsyncGenerator<string> {
  const named: { hash: string; path: string | null }[] = [];
  const kept = compressedIn(record);
  for (const { hash, path } of refs) {
    // A spilled body is inlined below; files are named by a path, pieces of a transcript by their record.
    if (path === null && !kept.has(hash) && !isNamedByCaller(record, hash)) continue;
    named.push({ hash, path });
    // T4: compressed, a secret in it cannot be seen: it is named and left out.
    if (how.raw || !kept.has(hash)) yield* contentLines(store, hash, how);
  }
  const redacted = how.raw ? null : await redactJson(record.body);
  const isRedacted = redacted !== null && redacted.count > 0;
  const body = redacted ? (redacted.value as JsonObject) : record.body;
  const out: RecordLine = {
    type: "record",
    session: record.session,
    seq: record.seq,
    id: record.id,
    kind: record.kind,
    attempt: record.attempt,
    at_ms: record.atMs,
    body: { ...body },
    contents: named,
    ...(record.isForgotten ? { forgotten: true } : {}),
    ...(isRedacted ? { redacted: true } : {}),
    ...(record.isDamaged ? { damaged: true } : {}),
  };
  yield line(out);
}

/** A caller's record names contents without a path (`session.record`); its own body, where that is one, is none of them. */
const isNamedByCaller = ({ kind, body }: StoredRecord, hash: ContentHash): boolean =>
  isOwnKindName(kind) && hashOf(Buffer.from(encodeJson(body))) !== hash;

/** Pieces of a transcript, and commits. */
function compressedIn(record: StoredRecord): ReadonlySet<string> {
  const pieces = bodyAs(record, "transcript.kept")?.chunks.map(({ hash }) => hash) ?? [];
  const { repository, commits } = bodyAs(record, "capture.taken") ?? {};
  return new Set([...pieces, ...[repository?.bundle, commits?.bundle].filter((hash) => hash != null)]);
}

async function* contentLines(
  store: Store,
  hash: ContentHash,
  how: { raw: boolean; sent: Set<string> },
): AsyncGenerator<string> {
  if (how.sent.has(hash)) return;
  how.sent.add(hash);
  const content = await store.driver.readContent(hash);
  if (!content) return; // collected: the record still names it, `prove` says why
  if (!how.raw && (await fileMayHoldSecret((await readWholeContent(store.driver, hash)).toString("utf8"))))
    return;
  for (const chunk of content.chunks) {
    if (how.sent.has(`chunk ${chunk}`)) continue;
    const bytes = await store.driver.readChunk(chunk);
    if (!bytes) return; // forgotten since we looked: not a content any more
    yield line({ type: "chunk", hash: chunk, data: Buffer.from(bytes).toString("base64") });
    how.sent.add(`chunk ${chunk}`);
  }
  yield line({ type: "content", hash, bytes: content.bytes, chunks: [...content.chunks] });
}

/** Bodies by the encoder they were stored with: JSON.stringify makes 0 of -0, and that is another body. */
function line(value: ExportLine): string {
  if (value.type !== "record") return JSON.stringify(value);
  const { body, ...rest } = value;
  return `${JSON.stringify(rest).slice(0, -1)},"body":${encodeJson(body)}}`;
}
