/** What must be open for these records (C1), and what must be in the store (contents): checked before the first write. */

import type { SessionId } from "../../model/ids.ts";
import type { OpenRef } from "../../model/record.ts";
import type { ChangeOutcome, RawNewRecord, Refusal, StampedRecord } from "../contract/driver.ts";
import type { Connection } from "./connection.ts";
import type { SqliteRow } from "./load.ts";
import { blobToHash, hashToBlob } from "./rows.ts";

/** Something that was looked up in the same transaction already. */
export interface AskedOpen {
  readonly ref: OpenRef;
  readonly isOpen: boolean;
}

export function refusalOfRecords(
  db: Connection,
  session: SessionId,
  stamped: readonly StampedRecord[],
  looked?: AskedOpen,
): Refusal | null {
  return openRefusal(db, session, stamped, looked) ?? contentRefusal(db, stamped);
}

/** Walks the records in order: one may close what an earlier one of the same change opened. */
function openRefusal(
  db: Connection,
  session: SessionId,
  stamped: readonly StampedRecord[],
  looked: AskedOpen | undefined,
): Refusal | null {
  const key = (ref: OpenRef): string => `${ref.what} ${ref.id}`;
  const changed = new Map<string, boolean>(looked ? [[key(looked.ref), looked.isOpen]] : []);
  const isOpen = (ref: OpenRef): boolean => changed.get(key(ref)) ?? isOpenInStore(db, session, ref);
  for (const { record } of stamped) {
    if (record.unlessOpen && isOpen(record.unlessOpen)) return { kind: "sent" };
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

/** D4: the same id and body again is a repeat, also for some records of a change; the same id with another body is refused. */
const SELECT_BY_ID = "SELECT seq, kind, attempt, body, spilled FROM records WHERE session = ? AND id = ?";

/** Where a record of a change is: in the store, or with an earlier one of the same change; null: it is new. */
export type PriorRecord =
  | { readonly kind: "stored"; readonly seq: number; readonly attempt: number | null }
  | { readonly kind: "given"; readonly at: number }
  | null;

/** One answer for each record; or the first whose id is used with another body. */
export function knownOf(
  db: Connection,
  session: SessionId,
  records: readonly RawNewRecord[],
): readonly PriorRecord[] | Refusal {
  const given = new Map<string, number>();
  const known: PriorRecord[] = [];
  for (const [at, record] of records.entries()) {
    const earlier = given.get(record.id);
    const old = earlier === undefined ? db.get(SELECT_BY_ID, session, record.id) : null;
    const isSame = earlier === undefined ? !old || isStored(old, record) : isGiven(records[earlier], record);
    if (!isSame) return { kind: "id-reused", id: record.id };
    if (earlier !== undefined) known.push(known[earlier] ?? { kind: "given", at: earlier });
    else known.push(old ? { kind: "stored", seq: Number(old.seq), attempt: attemptOf(old) } : null);
    if (earlier === undefined) given.set(record.id, at);
  }
  return known;
}

/** Null where one of the records is new. All of them there with the same bodies: a repeat. An id with another body: refused. */
export function priorOf(
  db: Connection,
  session: SessionId,
  records: readonly RawNewRecord[],
  now: { readonly head: number; readonly attempt: number },
): ChangeOutcome | null {
  const known = knownOf(db, session, records);
  return "kind" in known ? { kind: "refused", refusal: known } : repeatOf(known, now);
}

export function repeatOf(
  known: readonly PriorRecord[],
  now: { readonly head: number; readonly attempt: number },
): ChangeOutcome | null {
  const stored = known.flatMap((one) => (one?.kind === "stored" ? [one] : []));
  const [first] = stored;
  if (!first || stored.length < known.length) return null;
  return {
    kind: "done",
    seqs: stored.map(({ seq }) => seq),
    head: now.head,
    // The attempt it was written under: a late repeat of a take must not hand out somebody else's (K1).
    attempt: first.attempt ?? now.attempt,
    isRepeat: true,
  };
}

const attemptOf = (old: SqliteRow): number | null => (old.attempt === null ? null : Number(old.attempt));

function isStored(old: SqliteRow, record: RawNewRecord): boolean {
  const spilled = old.spilled ? blobToHash(old.spilled) : null;
  return old.kind === record.kind && old.body === record.body && spilled === record.spilled;
}

const isGiven = (earlier: RawNewRecord | undefined, { kind, body, spilled }: RawNewRecord): boolean =>
  earlier?.kind === kind && earlier.body === body && earlier.spilled === spilled;
