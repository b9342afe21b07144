/**
 * Computes the projections again from the journal (D2: it is the only truth): sessions, what is open, and a
 * record of each stretch that is missing. Used on a store that salvage has filled with rows.
 */
import type { ContentHash, RecordId, SessionId } from "../../model/ids.ts";
import { encodeJson, type JsonObject } from "../../model/json.ts";
import { openingsOf } from "../../model/record.ts";
import { randomId } from "../../platform/random.ts";
import { decodeBody } from "../contract/encode-record.ts";
import { canUnseal, type SealingKey, unseal } from "../contract/seal.ts";
import { factsOf } from "../contract/session-facts.ts";
import type { Connection } from "./connection.ts";
import { readChunk, readContent } from "./contents.ts";
import { noteTail } from "./note-tail.ts";
import { recordKey, sidOf, toRawRecord } from "./rows.ts";
import { writeRecords } from "./write-records.ts";

/** Rows read at a time; the projections of one session fit in memory, its bodies need not. */
const PAGE_ROWS = 500;

export interface LostRows {
  readonly session: string;
  readonly ranges: readonly (readonly [number, number])[];
}

export interface Rebuilding {
  readonly nowMs: number;
  /** How far sessions had come by what is noted beside the store (D7). */
  readonly marked: ReadonlyMap<string, number>;
  /** For bodies that are contents. */
  readonly keys: readonly SealingKey[];
  /** A body that no key opens: what its record began or ended is not known. */
  readonly onLocked: (session: SessionId, seq: number) => void;
}

export function rebuildProjections(db: Connection, how: Rebuilding): LostRows[] {
  const { nowMs, marked } = how;
  const lost: LostRows[] = [];
  const found = new Set<string>();
  for (const row of db.all("SELECT id FROM sessions")) {
    const session = row.id as SessionId;
    found.add(session);
    db.transaction(() => {
      const { ranges, head } = rebuildSession(db, session, how);
      const end = marked.get(session) ?? 0;
      const all = end > head ? [...ranges, [head + 1, end] as const] : ranges;
      if (all.length === 0) return;
      lost.push({ session, ranges: all });
      if (end > head) noteTail(db, { session, found: head, expected: end });
      noteLoss(db, session, { ranges: all, head: Math.max(head, end) }, nowMs);
    });
  }
  // Of these nothing is left: no journal could say it.
  for (const [session, expected] of marked)
    if (!found.has(session) && expected > 0) {
      lost.push({ session, ranges: [[1, expected]] });
      db.transaction(() => noteTail(db, { session, found: 0, expected }));
    }
  return lost;
}

interface RebuiltRanges {
  readonly ranges: (readonly [number, number])[];
  readonly head: number;
}

function rebuildSession(db: Connection, session: SessionId, { keys, onLocked }: Rebuilding): RebuiltRanges {
  const ranges: (readonly [number, number])[] = [];
  const open = new Map<string, { what: string; id: string; seq: number }>();
  let facts: JsonObject = {};
  let attempt = 0;
  let head = 0;
  for (const record of recordsOf(db, session)) {
    if (record.seq > head + 1) ranges.push([head + 1, record.seq - 1]);
    head = record.seq;
    attempt = Math.max(attempt, record.attempt ?? 0);
    const text = record.spilled ? spilledBody(db, record.spilled, keys) : record.body;
    if (text === null) onLocked(session, record.seq);
    const body = (text === null ? null : decodeBody(text)) ?? {};
    const { opens, closes } = openingsOf(record.kind, body);
    if (closes) open.delete(`${closes.what} ${closes.id}`);
    if (opens) open.set(`${opens.what} ${opens.id}`, { ...opens, seq: record.seq });
    facts = { ...facts, ...factsOf(record.kind, body, record.atMs) };
  }
  const textOf = (value: unknown): string | null => (typeof value === "string" ? value : null);
  db.run(
    "UPDATE sessions SET facts = ?, workspace = ?, name = ?, attempt = ? WHERE id = ?",
    JSON.stringify(facts),
    textOf(facts.workspace),
    textOf(facts.name),
    attempt,
    session,
  );
  for (const { what, id, seq } of open.values())
    db.run("INSERT INTO open (session, what, id, seq) VALUES (?,?,?,?)", session, what, id, seq);
  return { ranges, head };
}

function* recordsOf(db: Connection, session: SessionId): Generator<ReturnType<typeof toRawRecord>> {
  const sid = sidOf(db, session) ?? 0;
  let next = 1;
  for (;;) {
    const page = db
      .all(
        "SELECT * FROM records WHERE n >= ? AND n <= ? ORDER BY n LIMIT ?",
        recordKey(sid, next),
        recordKey(sid, Number.MAX_SAFE_INTEGER),
        PAGE_ROWS,
      )
      .map(toRawRecord);
    yield* page;
    const last = page.at(-1);
    if (!last) return;
    next = last.seq + 1;
  }
}

/** Null: it is sealed, and by none of these keys. */
function spilledBody(db: Connection, hash: ContentHash, keys: readonly SealingKey[]): string | null {
  const pieces: Uint8Array[] = [];
  for (const chunk of readContent(db, hash)?.chunks ?? []) {
    const stored = readChunk(db, chunk) ?? new Uint8Array(0);
    if (!canUnseal(keys, chunk, stored)) return null;
    pieces.push(unseal(keys, chunk, stored));
  }
  return Buffer.concat(pieces).toString("utf8");
}

/** Behind everything that was ever there: a number that is lost is given to no other record (D3). */
function noteLoss(
  db: Connection,
  session: SessionId,
  { ranges, head }: { readonly ranges: LostRows["ranges"]; readonly head: number },
  nowMs: number,
): void {
  const body = encodeJson({ ranges });
  const note = {
    id: randomId() as RecordId,
    kind: "rows.lost",
    atMs: nowMs,
    body,
    spilled: null,
    opens: null,
    closes: null,
    needs: null,
    within: null,
    contents: [],
    facts: null,
  };
  const sid = sidOf(db, session) ?? 0;
  writeRecords(db, { session, sid, head }, [{ record: note, attempt: null, isForgotten: false }]);
}
