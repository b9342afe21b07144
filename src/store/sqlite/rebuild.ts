/**
 * Computes the projections again from the journal (D2: it is the only truth): sessions, what is open, and a
 * record of each stretch that is missing. Used on a store that salvage has filled with rows.
 */
import type { RecordId, SessionId } from "../../model/ids.ts";
import { encodeJson, type JsonObject } from "../../model/json.ts";
import { openingsOf } from "../../model/record.ts";
import { randomId } from "../../platform/random.ts";
import { decodeBody } from "../encode-record.ts";
import { factsOf } from "../facts.ts";
import { applyChange } from "./apply-change.ts";
import type { Connection } from "./connection.ts";
import { readChunk, readContent } from "./contents.ts";
import { recordKey, sidOf } from "./record-key.ts";
import { toRawRecord } from "./rows.ts";

/** Rows read at a time; the projections of one session fit in memory, its bodies need not. */
const PAGE_ROWS = 500;

export interface LostRows {
  readonly session: string;
  readonly ranges: readonly (readonly [number, number])[];
}

export function rebuildProjections(db: Connection, nowMs: number): LostRows[] {
  const lost: LostRows[] = [];
  for (const row of db.all("SELECT id FROM sessions")) {
    const session = row.id as SessionId;
    db.transaction(() => {
      const ranges = rebuildSession(db, session);
      if (ranges.length === 0) return;
      lost.push({ session, ranges });
      noteLoss(db, session, ranges, nowMs);
    });
  }
  return lost;
}

function rebuildSession(db: Connection, session: SessionId): (readonly [number, number])[] {
  const ranges: (readonly [number, number])[] = [];
  const open = new Map<string, { what: string; id: string; seq: number }>();
  let facts: JsonObject = {};
  let attempt = 0;
  let head = 0;
  for (const record of recordsOf(db, session)) {
    if (record.seq > head + 1) ranges.push([head + 1, record.seq - 1]);
    head = record.seq;
    attempt = Math.max(attempt, record.attempt ?? 0);
    const body = decodeBody(record.spilled ? spilledBody(db, record.spilled) : record.body) ?? {};
    const { opens, closes } = openingsOf(record.kind, body);
    if (closes) open.delete(`${closes.what} ${closes.id}`);
    if (opens) open.set(`${opens.what} ${opens.id}`, { ...opens, seq: record.seq });
    facts = { ...facts, ...factsOf(record.kind, body, record.atMs) };
  }
  const text = (value: unknown): string | null => (typeof value === "string" ? value : null);
  db.run(
    "UPDATE sessions SET facts = ?, workspace = ?, name = ?, attempt = ? WHERE id = ?",
    JSON.stringify(facts),
    text(facts.workspace),
    text(facts.name),
    attempt,
    session,
  );
  for (const { what, id, seq } of open.values())
    db.run("INSERT INTO open (session, what, id, seq) VALUES (?,?,?,?)", session, what, id, seq);
  return ranges;
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

function spilledBody(db: Connection, hash: NonNullable<ReturnType<typeof toRawRecord>["spilled"]>): string {
  const chunks = readContent(db, hash)?.chunks ?? [];
  return Buffer.concat(chunks.map((chunk) => readChunk(db, chunk) ?? new Uint8Array(0))).toString("utf8");
}

function noteLoss(db: Connection, session: SessionId, ranges: LostRows["ranges"], nowMs: number): void {
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
    contents: [],
    facts: null,
  };
  applyChange(db, { kind: "append", session, by: "anyone", records: [note] });
}
