/**
 * One change inside the group's transaction: check everything, then write (driver 2, driver 4, driver 5). A refusal is found
 * before the first write, so the other changes of the group never notice it.
 *
 * Order of the answers: a repeat of the same ids and bodies is answered with the old numbers, whoever asks
 * (D4); then the session, the fence (K1), an id used with another body (D4), the head (C5), what must be open
 * (C1), the contents. The append of one record, the hot path, looks for a repeat only when something else
 * refuses it: its own insert finds a used id.
 */

import type { SessionId } from "../../model/ids.ts";
import type { OpenRef } from "../../model/record.ts";
import type {
  AppendChange,
  ChangeOutcome,
  ClaimRow,
  ImportChange,
  RawNewRecord,
  Refusal,
  ReleaseChange,
  RenewChange,
  SessionRow,
  StampedRecord,
  StoreChange,
  TakeChange,
} from "../contract/driver.ts";
import type { Connection } from "./connection.ts";
import { putWhole } from "./contents.ts";
import {
  type AskedOpen,
  knownOf,
  type PriorRecord,
  priorOf,
  refusalOfRecords,
  repeatOf,
} from "./refusal-of-records.ts";
import { createSession, LAST_KEY_SQL, LAST_TIME_SQL, seqOfKey, toSession } from "./rows.ts";
import { writeRecords } from "./write-records.ts";

const SELECT_SESSION = `SELECT *, ${LAST_KEY_SQL} AS last, ${LAST_TIME_SQL} AS last_at_ms FROM sessions WHERE id = ?`;
const BRIEF = `sid, attempt, owner IS NULL AS is_free, ${LAST_KEY_SQL} AS last`;
const SELECT_BRIEF = `SELECT ${BRIEF} FROM sessions WHERE id = ?`;
/** With the one thing that a single record needs open: the hot path asks once. */
const SELECT_BRIEF_AND_OPEN = `SELECT ${BRIEF}, EXISTS (SELECT 1 FROM open WHERE session = ? AND what = ? AND open.id = ?) AS is_open
  FROM sessions WHERE id = ?`;

/** What an append needs of its session, without reading the rest of the row. */
interface AppendFacts {
  readonly sid: number;
  readonly attempt: number;
  readonly isFree: boolean;
  readonly head: number;
  /** Of what was asked along with it. */
  readonly looked?: AskedOpen;
}

export function applyChange(db: Connection, change: StoreChange): ChangeOutcome {
  switch (change.kind) {
    case "append":
      return append(db, change);
    case "take":
      return take(db, change);
    case "release":
      return release(db, change);
    case "renew":
      return renew(db, change);
    case "import":
      return bringIn(db, change);
    case "put":
      putWhole(db, change.contents, change.nowMs);
      return { kind: "done", seqs: [], head: 0, attempt: 0, isRepeat: false };
    default:
      return change satisfies never;
  }
}

export function readSessionRow(db: Connection, id: SessionId): SessionRow | null {
  const row = db.get(SELECT_SESSION, id);
  return row ? toSession(row) : null;
}

function readBrief(db: Connection, id: SessionId, ref: OpenRef | null = null): AppendFacts | null {
  const row = ref ? db.get(SELECT_BRIEF_AND_OPEN, id, ref.what, ref.id, id) : db.get(SELECT_BRIEF, id);
  if (!row) return null;
  const head = row.last === null ? 0 : seqOfKey(Number(row.last));
  const brief = { sid: Number(row.sid), attempt: Number(row.attempt), isFree: row.is_free === 1, head };
  return ref ? { ...brief, looked: { ref, isOpen: row.is_open === 1 } } : brief;
}

/** What a single record needs open; null: nothing, or there are several. */
const neededBy = (records: readonly RawNewRecord[]): OpenRef | null =>
  records.length === 1 ? (records[0]?.within ?? records[0]?.closes ?? records[0]?.needs ?? null) : null;

function append(db: Connection, change: AppendChange): ChangeOutcome {
  const { session, by, records } = change;
  const brief = readBrief(db, session, neededBy(records));
  if (!brief) return refused({ kind: "no-session" });
  if (by !== "anyone" && isFenced(brief, by.attempt))
    return unlessRepeat(db, session, records, fence(db, session));
  if (change.expectHead !== undefined && change.expectHead !== brief.head) {
    return unlessPrior(db, session, records, { kind: "head-moved", head: brief.head });
  }
  const attempt = by === "anyone" ? null : by.attempt;
  return write(db, session, brief, stamp(records, attempt));
}

function release(db: Connection, change: ReleaseChange): ChangeOutcome {
  const { session, attempt, records } = change;
  const brief = readBrief(db, session);
  if (!brief) return refused({ kind: "no-session" });
  if (isFenced(brief, attempt)) return unlessRepeat(db, session, records, fence(db, session));
  const outcome = write(db, session, brief, stamp(records, attempt));
  if (outcome.kind === "done")
    db.run("UPDATE sessions SET owner = NULL, heartbeat_at_ms = NULL WHERE sid = ?", brief.sid);
  return outcome;
}

function renew(db: Connection, change: RenewChange): ChangeOutcome {
  const brief = readBrief(db, change.session);
  if (!brief) return refused({ kind: "no-session" });
  if (isFenced(brief, change.attempt)) return refused(fence(db, change.session));
  db.run("UPDATE sessions SET heartbeat_at_ms = ? WHERE sid = ?", change.nowMs, brief.sid);
  return { kind: "done", seqs: [], head: brief.head, attempt: change.attempt, isRepeat: false };
}

function take(db: Connection, change: TakeChange): ChangeOutcome {
  const row = readSessionRow(db, change.session);
  const moved = takeRefusal(row, change);
  if (moved) return unlessRepeat(db, change.session, change.records, moved);
  const attempt = (row?.claim.attempt ?? 0) + 1;
  const outcome = writeToNewOrOld(db, change.session, stamp(change.records, attempt), attempt);
  if (outcome.kind === "refused" || outcome.isRepeat) return outcome;
  db.run(
    "UPDATE sessions SET attempt = ?, owner = ?, acquired_at_ms = ?, heartbeat_at_ms = ?, threshold_ms = ? WHERE id = ?",
    attempt,
    JSON.stringify(change.owner),
    change.nowMs,
    change.nowMs,
    change.thresholdMs,
    change.session,
  );
  return outcome;
}

function takeRefusal(row: SessionRow | null, change: TakeChange): Refusal | null {
  if (!row) return change.seen === null ? null : { kind: "no-session" };
  if (change.seen === null) return { kind: "session-exists" };
  const holder = row.claim.owner?.instance ?? null;
  const isAsSeen = row.claim.attempt === change.seen.attempt && holder === change.seen.holder;
  if (!isAsSeen) return { kind: "claim-moved", claim: row.claim };
  const isThere = change.expectHead === undefined || change.expectHead === row.head;
  return isThere ? null : { kind: "head-moved", head: row.head };
}

function bringIn(db: Connection, change: ImportChange): ChangeOutcome {
  const row = readSessionRow(db, change.session);
  if (row?.claim.owner)
    return unlessRepeat(db, change.session, change.records, { kind: "claim-moved", claim: row.claim });
  const head = row?.head ?? 0;
  if (head !== change.afterSeq)
    return unlessPrior(db, change.session, change.records, { kind: "head-moved", head });
  const attempt = Math.max(row?.claim.attempt ?? 0, change.attempt);
  const stamped = change.records.map((record) => ({
    record,
    attempt: record.attempt,
    isForgotten: record.isForgotten,
  }));
  // Their numbers are given: one that is there already, under another number, cannot be left out.
  const repeated = repeatedIn(db, change.session, change.records);
  if (repeated !== null) return refused({ kind: "id-reused", id: repeated });
  const outcome = writeToNewOrOld(db, change.session, stamped, attempt);
  if (outcome.kind === "done")
    db.run("UPDATE sessions SET attempt = ? WHERE id = ?", attempt, change.session);
  return outcome;
}

/** The first record that is known while others are not; null: there is none. */
function repeatedIn(db: Connection, session: SessionId, records: readonly RawNewRecord[]): string | null {
  const known = knownOf(db, session, records);
  if ("kind" in known || !known.includes(null)) return null;
  return records.find((_record, at) => known[at] !== null)?.id ?? null;
}

/** A session comes into being with its first claim or import; its records are checked before its row is made. */
function writeToNewOrOld(
  db: Connection,
  session: SessionId,
  stamped: readonly StampedRecord[],
  attempt: number,
): ChangeOutcome {
  const brief = readBrief(db, session);
  if (brief) return write(db, session, { ...brief, attempt }, stamped);
  const fresh = freshOf(db, session, stamped);
  if (fresh.kind === "refused") return refused(fresh.refusal);
  const refusal = refusalOfRecords(db, session, fresh.stamped);
  if (refusal) return refused(refusal);
  const sid = createSession(db, session);
  return write(db, session, { sid, attempt, isFree: true, head: 0 }, stamped);
}

function write(
  db: Connection,
  session: SessionId,
  brief: AppendFacts,
  stamped: readonly StampedRecord[],
): ChangeOutcome {
  return stamped.length > 1
    ? writeSeveral(db, session, brief, stamped)
    : writeOne(db, session, brief, stamped);
}

/** The hot path: its own insert finds a used id. */
function writeOne(
  db: Connection,
  session: SessionId,
  brief: AppendFacts,
  stamped: readonly StampedRecord[],
): ChangeOutcome {
  const records = stamped.map(({ record }) => record);
  const refusal = refusalOfRecords(db, session, stamped, brief.looked);
  if (refusal) return unlessPrior(db, session, records, refusal);
  const seqs = writeRecords(db, { session, sid: brief.sid, head: brief.head }, stamped);
  if (seqs === null) return priorOf(db, session, records, brief) ?? refused({ kind: "no-session" });
  return { kind: "done", seqs, head: brief.head + seqs.length, attempt: brief.attempt, isRepeat: false };
}

/** Their ids are looked up before the first is written, so that a refusal leaves no trace (driver 2); repeats among them keep their numbers (D4). */
function writeSeveral(
  db: Connection,
  session: SessionId,
  brief: AppendFacts,
  stamped: readonly StampedRecord[],
): ChangeOutcome {
  const fresh = freshOf(db, session, stamped);
  if (fresh.kind === "refused") return refused(fresh.refusal);
  const repeat = repeatOf(fresh.known, brief);
  if (repeat) return repeat;
  const refusal = refusalOfRecords(db, session, fresh.stamped);
  if (refusal) return refused(refusal);
  const written = writeRecords(db, { session, sid: brief.sid, head: brief.head }, fresh.stamped);
  if (written === null) return refused({ kind: "no-session" });
  const seqs = seqsOf(fresh.known, written);
  return { kind: "done", seqs, head: brief.head + written.length, attempt: brief.attempt, isRepeat: false };
}

type FreshRecords =
  | { readonly kind: "refused"; readonly refusal: Refusal }
  | {
      readonly kind: "fresh";
      readonly known: readonly PriorRecord[];
      readonly stamped: readonly StampedRecord[];
    };

function freshOf(db: Connection, session: SessionId, stamped: readonly StampedRecord[]): FreshRecords {
  const known = knownOf(
    db,
    session,
    stamped.map(({ record }) => record),
  );
  if ("kind" in known) return { kind: "refused", refusal: known };
  return { kind: "fresh", known, stamped: stamped.filter((_one, at) => known[at] === null) };
}

/** One number for each record that was given. */
function seqsOf(known: readonly PriorRecord[], written: readonly number[]): number[] {
  const seqs: number[] = [];
  let next = 0;
  for (const one of known) {
    if (one === null) seqs.push(written[next++] ?? 0);
    else seqs.push(one.kind === "stored" ? one.seq : (seqs[one.at] ?? 0));
  }
  return seqs;
}

function unlessRepeat(
  db: Connection,
  session: SessionId,
  records: readonly RawNewRecord[],
  refusal: Refusal,
): ChangeOutcome {
  const prior = priorIn(db, session, records);
  return prior?.kind === "done" ? prior : refused(refusal);
}

function unlessPrior(
  db: Connection,
  session: SessionId,
  records: readonly RawNewRecord[],
  refusal: Refusal,
): ChangeOutcome {
  return priorIn(db, session, records) ?? refused(refusal);
}

function priorIn(db: Connection, session: SessionId, records: readonly RawNewRecord[]): ChangeOutcome | null {
  const brief = readBrief(db, session);
  return brief ? priorOf(db, session, records, brief) : null;
}

const isFenced = (brief: AppendFacts, attempt: number): boolean => brief.attempt !== attempt || brief.isFree;

function fence(db: Connection, session: SessionId): Refusal {
  const claim: ClaimRow | undefined = readSessionRow(db, session)?.claim;
  return { kind: "fenced", current: claim?.attempt ?? 0, holder: claim?.owner ?? null };
}

const stamp = (records: readonly RawNewRecord[], attempt: number | null): StampedRecord[] =>
  records.map((record) => ({ record, attempt, isForgotten: false }));

const refused = (refusal: Refusal): ChangeOutcome => ({ kind: "refused", refusal });
