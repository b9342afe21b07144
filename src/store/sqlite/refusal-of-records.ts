/** What must be open for these records (C1), and what must be in the store (contents): checked before the first write. */
import type { SessionId } from "../../model/ids.ts";
import type { OpenRef } from "../../model/record.ts";
import type { Refusal } from "../contract/driver.ts";
import type { Connection } from "./connection.ts";
import { hashToBlob } from "./rows.ts";
import type { StampedRecord } from "./write-records.ts";

export function refusalOfRecords(
  db: Connection,
  session: SessionId,
  stamped: readonly StampedRecord[],
): Refusal | null {
  return openRefusal(db, session, stamped) ?? contentRefusal(db, stamped);
}

/** Walks the records in order: one may close what an earlier one of the same change opened. */
function openRefusal(db: Connection, session: SessionId, stamped: readonly StampedRecord[]): Refusal | null {
  const changed = new Map<string, boolean>();
  const key = (ref: OpenRef): string => `${ref.what} ${ref.id}`;
  const isOpen = (ref: OpenRef): boolean => changed.get(key(ref)) ?? isOpenInStore(db, session, ref);
  for (const { record } of stamped) {
    if (record.needs && !isOpen(record.needs)) return { kind: "not-open", ...record.needs };
    if (record.closes && !isOpen(record.closes)) return { kind: "not-open", ...record.closes };
    if (record.within && !isOpen(record.within)) return { kind: "not-open", ...record.within };
    if (record.closes) changed.set(key(record.closes), false);
    if (record.opens && isOpen(record.opens)) return { kind: "already-open", ...record.opens };
    if (record.opens) changed.set(key(record.opens), true);
  }
  return null;
}

function isOpenInStore(db: Connection, session: SessionId, ref: OpenRef): boolean {
  return (
    db.get("SELECT seq FROM open WHERE session = ? AND what = ? AND id = ?", session, ref.what, ref.id) !==
    null
  );
}

function contentRefusal(db: Connection, stamped: readonly StampedRecord[]): Refusal | null {
  for (const { record } of stamped) {
    for (const { hash } of record.contents) {
      if (!db.get("SELECT n FROM contents WHERE hash = ?", hashToBlob(hash)))
        return { kind: "content-missing", hash };
    }
  }
  return null;
}
