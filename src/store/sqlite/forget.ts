/**
 * `forget`: the one exception to D2. Bodies are replaced by their shape, contents that only they named go,
 * and a record says that and why, all in one transaction. secure_delete overwrites what is freed; the
 * caller then empties the log, so that the bytes are in none of the store's files.
 */
import type { ContentHash } from "../../model/ids.ts";
import { crashPoint } from "../../platform/crash-point.ts";
import type { ForgetChange, GcResult } from "../contract/driver.ts";
import { applyChange } from "./apply-change.ts";
import type { Connection } from "./connection.ts";
import { dropContentRow, dropLooseChunk, readContent } from "./contents.ts";
import { blobToHash, fromRecord, hashToBlob, recordKey, sidOf, toRawRecord } from "./rows.ts";

export function forgetRecords(db: Connection, change: ForgetChange): GcResult {
  db.exec("PRAGMA secure_delete = ON");
  try {
    return db.transaction(() => {
      const sid = sidOf(db, change.session) ?? 0;
      const loose = change.records.flatMap(({ seq, body }) =>
        eraseRecord(db, change.session, recordKey(sid, seq), body),
      );
      const dropped = dropUnnamed(db, loose);
      applyChange(db, { kind: "append", session: change.session, by: "anyone", records: [change.note] });
      crashPoint("forget.before-commit");
      return dropped;
    });
  } finally {
    db.exec("PRAGMA secure_delete = FAST");
  }
}

/** Of contents that were named until now, those that nobody names any more go. */
export function dropUnnamed(db: Connection, hashes: readonly ContentHash[]): GcResult {
  const doomed = new Set(
    hashes.filter((hash) => !db.get("SELECT n FROM refs WHERE hash = ?", hashToBlob(hash))),
  );
  return { contents: doomed.size, bytes: dropContents(db, doomed) };
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

/**
 * No grace here: the user ordered the bytes gone, and a put under way of the very same bytes is refused. Other
 * loose chunks are left to gc: somebody may be about to make a content of them.
 */
function dropContents(db: Connection, doomed: ReadonlySet<ContentHash>): number {
  const chunks = new Set([...doomed].flatMap((hash) => readContent(db, hash)?.chunks ?? []));
  for (const hash of doomed) dropContentRow(db, hash);
  let bytes = 0;
  for (const chunk of chunks) bytes += dropLooseChunk(db, chunk);
  return bytes;
}
