/**
 * Records of a caller's own kinds (model/own-kind.ts): written under the claim like any other, read by whoever has the store. What
 * is stored is the body as it was given, once the schema takes it; what is read is what the schema makes of that. So a schema
 * that turns a text into a date keeps text in the journal, and a newer version of it reads what an older one wrote.
 */
import { untilAborted } from "../model/aborted.ts";
import { RefloatError } from "../model/errors.ts";
import type { ContentHash, RecordId, SessionId } from "../model/ids.ts";
import { isJsonObject, type JsonObject } from "../model/json.ts";
import { READ_PAGE_ROWS } from "../model/limits.ts";
import { type OwnKind, ownKindName } from "../model/own-kind.ts";
import type { NewRecord, StoredRecord } from "../model/record.ts";
import { fitted } from "../model/standard-schema.ts";
import type { Clock } from "../platform/clock.ts";
import { randomId } from "../platform/random.ts";
import type { Store } from "../store/store.ts";

export interface RecordOptions {
  /** The same id with the same body again is stored once (D4); left out: a new one. */
  readonly id?: string;
  /** Contents the body names, as `putContent` handed them out: kept for as long as this record is. */
  readonly contents?: readonly string[];
}

export interface OwnRecordInput extends RecordOptions {
  readonly kind: string | OwnKind;
  readonly body: unknown;
}

/** A record of a caller's kind, read back. */
export interface OwnRecord<Body = JsonObject> {
  readonly id: string;
  readonly seq: number;
  readonly kind: string;
  /** Milliseconds since 1970; for people, never an order (D3). */
  readonly atMs: number;
  readonly attempt: number | null;
  readonly body: Body;
}

export interface OwnRecordsRange {
  /** Inclusive bounds. */
  readonly fromSeq?: number;
  readonly toSeq?: number;
  /** `backward`: the newest first. */
  readonly order?: "forward" | "backward";
  /** At most so many. */
  readonly limit?: number;
  readonly signal?: AbortSignal;
  /** Told of a record that does not fit its schema, or is damaged, which is then passed over. Left out: it throws. */
  readonly onMisfit?: (record: StoredRecord, why: string) => void;
}

export async function ownRecord(clock: Clock, input: OwnRecordInput): Promise<NewRecord> {
  const { kind: given, body, id, contents } = input;
  const kind = typeof given === "string" ? ownKindName(given) : given.kind;
  if (typeof given !== "string") {
    const fit = await fitted(given.schema, body);
    if (fit.kind === "misfit") throw new RefloatError("E_BAD_RECORD", { kind, why: fit.why });
  }
  if (!isJsonObject(body)) throw new RefloatError("E_BAD_RECORD", { kind, why: "its body is not an object" });
  return {
    id: (id ?? randomId()) as RecordId,
    kind,
    atMs: clock.nowMs(),
    body,
    ...(contents ? { contents: contents.map((hash) => ({ hash: hash as ContentHash })) } : {}),
  };
}

/** In the order of the journal. What was forgotten is not there any more. */
export async function* ownRecords<Output>(
  store: Store,
  session: SessionId,
  of: string | OwnKind<unknown, Output>,
  range: OwnRecordsRange = {},
): AsyncGenerator<OwnRecord<Output>> {
  const kind = typeof of === "string" ? ownKindName(of) : of.kind;
  const schema = typeof of === "string" ? null : of.schema;
  let left = range.limit ?? Number.MAX_SAFE_INTEGER;
  const { fromSeq = 1, toSeq = Number.MAX_SAFE_INTEGER, order = "forward" } = range;
  const pageRows = Math.min(range.limit ?? READ_PAGE_ROWS, READ_PAGE_ROWS);
  const journal = store.journal(session, { fromSeq, toSeq, order, kinds: [kind], pageRows });
  for await (const record of untilAborted(journal, range.signal)) {
    if (left <= 0) return;
    if (record.isForgotten) continue;
    const fit = record.isDamaged
      ? ({ kind: "misfit", why: "it is damaged" } as const)
      : schema
        ? await fitted<Output>(schema, record.body)
        : ({ kind: "fits", value: record.body as Output } as const);
    if (fit.kind === "misfit") {
      if (!range.onMisfit)
        throw new RefloatError("E_BAD_RECORD", { kind, why: `record ${record.seq}: ${fit.why}` });
      range.onMisfit(record, fit.why);
      continue;
    }
    left--;
    const { id, seq, atMs, attempt } = record;
    yield { id, seq, kind, atMs, attempt, body: fit.value };
  }
}
