/** A session's journal, a page at a time, as it is shown: without secrets (T4), by sequence number (D3). Reads only. */
import type { JsonObject } from "../../model/json.ts";
import { READ_PAGE_ROWS, RECORD_SHOWN_BYTES } from "../../model/limits.ts";
import type { StoredRecord } from "../../model/record.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import { boundedJson } from "../../text/bounded-json.ts";
import { withoutSecrets } from "../../text/without-secrets.ts";
import type { AppPlace } from "../place/app-place.ts";
import type { RefloatStore } from "../store/open-store.ts";
import { findSession, rowNow } from "./find-session.ts";

export interface ShownRecord extends Pick<StoredRecord, "seq" | "kind" | "attempt" | "body"> {
  readonly at: string;
  /** Its body is gone, on the user's order or by damage. */
  readonly state: "whole" | "forgotten" | "damaged";
  readonly isRedacted: boolean;
}

export interface RecordsPage {
  readonly session: SessionRow["id"];
  /** The newest there is: what comes after it is still to be written. */
  readonly head: number;
  readonly records: readonly ShownRecord[];
}

/** When the tree was held, and why. */
export interface CaptureMark {
  readonly seq: number;
  readonly at: string;
  readonly reason: string;
  readonly partial: boolean;
}

/** A record as it is sent: its JSON is written once, however often it is shown. */
export interface RecordText {
  readonly seq: number;
  readonly text: string;
}

export interface SessionRecords {
  readonly session: SessionRow["id"];
  /** The newest, oldest first. */
  captures(): Promise<readonly CaptureMark[]>;
  /** From this one on, at most READ_PAGE_ROWS; the journal begins with 1. */
  page(fromSeq: number, limit: number): Promise<RecordsPage>;
  /** The same records, written out. */
  written(fromSeq: number, limit: number): Promise<readonly RecordText[]>;
}

/** The session is looked up once: whoever follows it asks for page after page. `kept`: of who shows the same again and again. */
export async function sessionRecords(
  at: AppPlace,
  typed: string,
  kept: ShownRecords | null = null,
): Promise<SessionRecords> {
  const { store, row } = await findSession(at, typed);
  return recordsOf(store, row, kept);
}

export function recordsOf(
  store: RefloatStore,
  { id: session }: Pick<SessionRow, "id">,
  kept: ShownRecords | null = null,
): SessionRecords {
  const read = (fromSeq: number, limit: number): Promise<StoredRecord[]> =>
    store.raw.records({ session, fromSeq, limit: Math.min(limit, READ_PAGE_ROWS) });
  return {
    session,
    captures: async () => {
      const about = { session, kinds: ["capture.taken"], order: "backward", limit: MAX_MARKS } as const;
      return (await store.raw.records(about)).reverse().map(captureMark);
    },
    page: async (fromSeq, limit) => {
      const { head } = await rowNow(store, session);
      return { session, head, records: await madeShown(await read(fromSeq, limit)) };
    },
    written: async (fromSeq, limit) => writtenOf(await read(fromSeq, limit), kept),
  };
}

/** On one picture; older ones stand close together there. */
const MAX_MARKS = 200;

const captureMark = ({ seq, atMs, body }: StoredRecord): CaptureMark => ({
  seq,
  at: new Date(atMs).toISOString(),
  reason: String(body.reason ?? ""),
  partial: body.partial === true,
});

/** What is said and called is shown whole; of all other records what they say of themselves, without their lists of paths and states. */
const TOLD_WHOLE = /^(?:message|call|turn|input)\.|^(?:decided|superseded|agent\.planned)$/;

/** Records as they were shown, the last of them, up to a bound (T5). */
export interface ShownRecords {
  find(record: StoredRecord): RecordText | null;
  keep(record: StoredRecord, shown: RecordText): void;
}

/** By the record as it is: a record never changes (D2), but for one that was forgotten since, and that is another. */
export function shownRecords(maxChars: number): ShownRecords {
  const kept = new Map<string, RecordText>();
  let chars = 0;
  const keyOf = ({ session, seq, id, isForgotten, isDamaged }: StoredRecord): string =>
    `${session} ${seq} ${id} ${isForgotten} ${isDamaged}`;
  return {
    find: (record) => kept.get(keyOf(record)) ?? null,
    keep: (record, shown) => {
      const key = keyOf(record);
      if (kept.has(key)) return;
      kept.set(key, shown);
      chars += shown.text.length;
      for (const [oldest, gone] of kept) {
        if (chars <= maxChars) break;
        kept.delete(oldest);
        chars -= gone.text.length;
      }
    },
  };
}

async function writtenOf(records: readonly StoredRecord[], kept: ShownRecords | null): Promise<RecordText[]> {
  // Held from here on: what is kept anew may put an older one out.
  const known = records.map((record) => kept?.find(record) ?? null);
  const unknown = records.filter((_, at) => known[at] === null);
  const made = (await madeShown(unknown)).map((one) => ({ seq: one.seq, text: JSON.stringify(one) }));
  for (const [at, record] of unknown.entries()) if (made[at]) kept?.keep(record, made[at]);
  let next = 0;
  return known.flatMap((one) => one ?? made[next++] ?? []);
}

/** Secrets are looked for before the cut, for half of one is not known for one (T4); in all of them at once, for each search has its price. */
async function madeShown(records: readonly StoredRecord[]): Promise<ShownRecord[]> {
  const told = records.map(({ kind, body }) => (TOLD_WHOLE.test(kind) ? body : scalarsOf(body)));
  const { value, count } = await withoutSecrets(told);
  return records.map((record, at) => {
    const { seq, kind, attempt, atMs, isForgotten, isDamaged } = record;
    const whole = value[at] ?? {};
    const state = isDamaged ? "damaged" : isForgotten ? "forgotten" : "whole";
    const isRedacted = count > 0 && JSON.stringify(whole) !== JSON.stringify(told[at]);
    const body = boundedJson(whole, RECORD_SHOWN_BYTES) as JsonObject;
    return { seq, kind, attempt, at: new Date(atMs).toISOString(), state, body, isRedacted };
  });
}

const scalarsOf = (body: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => value === null || typeof value !== "object"));
