/** Removing a session's rows, in one transaction; the contents only they named go right after it (doomed.ts), and what is freed is overwritten, as by `forget`. */
import { crashPoint } from "../../platform/crash-point.ts";
import type { DeleteChange, DeleteOutcome } from "../contract/driver.ts";
import { applyChange, readSessionRow } from "./apply-change.ts";
import type { Connection } from "./connection.ts";
import { doom } from "./doomed.ts";
import { blobToHash, recordKey, sidOf } from "./rows.ts";

/** `isGone`: nobody has such a session. */
export type RowsDeleted =
  | Extract<DeleteOutcome, { kind: "deleted" }>
  | { readonly kind: "moved"; readonly isGone: boolean };

export function deleteSessionRows(db: Connection, change: DeleteChange): RowsDeleted {
  db.exec("PRAGMA secure_delete = ON");
  try {
    return db.transaction(() => remove(db, change));
  } finally {
    db.exec("PRAGMA secure_delete = FAST");
  }
}

function remove(db: Connection, { session, seen, note }: DeleteChange): RowsDeleted {
  const row = readSessionRow(db, session);
  const sid = sidOf(db, session);
  if (!row || sid === null) return { kind: "moved", isGone: true };
  const holder = row.claim.owner?.instance ?? null;
  if (row.claim.attempt !== seen.attempt || holder !== seen.holder) return { kind: "moved", isGone: false };
  const named = db
    .all("SELECT DISTINCT hash FROM refs WHERE session = ?", session)
    .map((ref) => blobToHash(ref.hash ?? null));
  db.run("DELETE FROM refs WHERE session = ?", session);
  db.run("DELETE FROM open WHERE session = ?", session);
  const [first, last] = [recordKey(sid, 0), recordKey(sid, Number.MAX_SAFE_INTEGER)];
  const records = db.number("SELECT count(*) FROM records WHERE n >= ? AND n <= ?", first, last);
  db.run("DELETE FROM records WHERE n >= ? AND n <= ?", first, last);
  db.run("DELETE FROM sessions WHERE sid = ?", sid);
  doom(db, named);
  if (note) applyChange(db, { kind: "append", session: note.session, by: "anyone", records: [note.record] });
  crashPoint("forget.before-commit"); // the same step: what is ordered gone, before it is
  return { kind: "deleted", result: { records, contents: 0, bytes: 0 } };
}
