/** The writes of one change, after all its checks: journal rows and projections together (driver 3, driver 5). */

import type { SessionId } from "../../model/ids.ts";
import type { JsonObject } from "../../model/json.ts";
import type { RawNewRecord, StampedRecord } from "../contract/driver.ts";
import type { Connection } from "./connection.ts";
import { fromRecord, hashToBlob, recordKey } from "./rows.ts";

const INSERT_RECORD = `INSERT INTO records (n, session, seq, id, kind, attempt, at_ms, body, spilled, forgotten, checksum)
  VALUES (?,?,?,?,?,?,?,?,?,?,?) ON CONFLICT (session, id) DO NOTHING`;

interface JournalPlace {
  readonly session: SessionId;
  readonly sid: number;
  readonly head: number;
}

/** The sequence numbers given; null when the id of a single record is used already (then nothing was written). */
export function writeRecords(
  db: Connection,
  place: JournalPlace,
  stamped: readonly StampedRecord[],
): number[] | null {
  const seqs: number[] = [];
  const patches: JsonObject[] = [];
  let seq = place.head;
  for (const { record, attempt, isForgotten } of stamped) {
    seq++;
    const { id, kind, atMs, body, spilled } = record;
    const values = fromRecord({
      session: place.session,
      seq,
      id,
      kind,
      attempt,
      atMs,
      body,
      spilled,
      isForgotten,
    });
    if (db.run(INSERT_RECORD, recordKey(place.sid, seq), ...values) === 0) return null;
    project(db, place.session, seq, record);
    if (record.facts) patches.push(record.facts);
    seqs.push(seq);
  }
  if (patches.length > 0) mergeFacts(db, place.sid, patches);
  return seqs;
}

function project(db: Connection, session: SessionId, seq: number, record: RawNewRecord): void {
  const { opens, closes, contents } = record;
  if (closes)
    db.run("DELETE FROM open WHERE session = ? AND what = ? AND id = ?", session, closes.what, closes.id);
  if (opens)
    db.run("INSERT INTO open (session, what, id, seq) VALUES (?,?,?,?)", session, opens.what, opens.id, seq);
  for (const ref of contents) {
    db.run(
      "INSERT INTO refs (hash, session, seq, path) VALUES (?,?,?,?)",
      hashToBlob(ref.hash),
      session,
      seq,
      ref.path,
    );
  }
}

function mergeFacts(db: Connection, sid: number, patches: readonly JsonObject[]): void {
  const old = JSON.parse(db.text("SELECT facts FROM sessions WHERE sid = ?", sid) ?? "{}") as JsonObject;
  const facts: JsonObject = Object.assign({}, old, ...patches);
  const text = (value: unknown): string | null => (typeof value === "string" ? value : null);
  db.run(
    "UPDATE sessions SET facts = ?, workspace = ?, name = ? WHERE sid = ?",
    JSON.stringify(facts),
    text(facts.workspace),
    text(facts.name),
    sid,
  );
}
