/**
 * `forget`: the one exception to D2. Bodies are replaced by their shape and a record says that and why, in one transaction; the contents
 * that only they named go right after it (doomed.ts). secure_delete overwrites what is freed; the
 * caller then empties the log, so that the bytes are in none of the store's files.
 */
import type { ContentHash } from "../../model/ids.ts";
import { crashPoint } from "../../platform/crash-point.ts";
import type { ForgetChange } from "../contract/driver.ts";
import { applyChange } from "./apply-change.ts";
import type { Connection } from "./connection.ts";
import { doom } from "./doomed.ts";
import { blobToHash, fromRecord, recordKey, sidOf, toRawRecord } from "./rows.ts";

export function forgetRecords(db: Connection, change: ForgetChange): void {
  db.exec("PRAGMA secure_delete = ON");
  try {
    db.transaction(() => {
      const sid = sidOf(db, change.session) ?? 0;
      doom(
        db,
        change.records.flatMap(({ seq, body }) => eraseRecord(db, change.session, recordKey(sid, seq), body)),
      );
      applyChange(db, { kind: "append", session: change.session, by: "anyone", records: [change.note] });
      crashPoint("forget.before-commit");
    });
  } finally {
    db.exec("PRAGMA secure_delete = FAST");
  }
  crashPoint("forget.after-names");
}

/** Returns the contents the record named: its spilled body and what it referred to. */
function eraseRecord(db: Connection, session: string, key: number, body: string): ContentHash[] {
  const row = db.get("SELECT * FROM records WHERE n = ?", key);
  if (!row) return [];
  const erased = { ...toRawRecord(row), body, spilled: null, isForgotten: true };
  const checksum = fromRecord(erased).at(-1) ?? null;
  db.run(
    "UPDATE records SET body = ?, spilled = NULL, forgotten = 1, checksum = ? WHERE n = ?",
    body,
    checksum,
    key,
  );
  const named = db
    .all("SELECT hash FROM refs WHERE session = ? AND seq = ?", session, erased.seq)
    .map((ref) => blobToHash(ref.hash ?? null));
  db.run("DELETE FROM refs WHERE session = ? AND seq = ?", session, erased.seq);
  return named;
}
