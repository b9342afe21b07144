/**
 * One change inside the group's transaction: check everything, then write (S-2, S-4, S-5). A refusal is found
 * before the first write, so the other changes of the group never notice it.
 *
 * Order of the checks: a repeat of the same ids and bodies is answered with the old numbers, whoever asks
 * (D4); then the session, the fence (K1), an id used with another body (D4), the head (C5), what must be open
 * (C1), the contents.
 */
import type { SessionId } from "../../model/ids.ts";
import type { JsonObject } from "../../model/json.ts";
import type { OpenRef } from "../../model/record.ts";
import type {
  AppendChange,
  Change,
  ClaimRow,
  ImportChange,
  Outcome,
  RawNewRecord,
  Refusal,
  ReleaseChange,
  RenewChange,
  SessionRow,
  TakeChange,
} from "../driver.ts";
import type { Connection } from "./connection.ts";
import type { SqlRow } from "./load.ts";
import { blobToHash, fromRecord, hashToBlob, toSession } from "./rows.ts";

const SELECT_SESSION = "SELECT * FROM sessions WHERE id = ?";
const INSERT_RECORD =
  "INSERT INTO records (session, seq, id, kind, attempt, at_ms, body, spilled, forgotten, checksum) VALUES (?,?,?,?,?,?,?,?,?,?)";

interface Stamped {
  readonly record: RawNewRecord;
  readonly attempt: number | null;
  readonly isForgotten: boolean;
}

export function applyChange(db: Connection, change: Change): Outcome {
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
    default:
      return change satisfies never;
  }
}

export function readSessionRow(db: Connection, id: SessionId): SessionRow | null {
  const row = db.get(SELECT_SESSION, id);
  return row ? toSession(row) : null;
}

function append(db: Connection, change: AppendChange): Outcome {
  const session = readSessionRow(db, change.session);
  const prior = priorOf(db, change.session, change.records, session);
  if (prior?.kind === "done") return prior;
  if (!session) return refused({ kind: "no-session" });
  if (change.by !== "anyone") {
    const fence = fenceOf(session.claim, change.by.attempt);
    if (fence) return refused(fence);
  }
  if (prior) return prior;
  if (change.expectHead !== undefined && change.expectHead !== session.head) {
    return refused({ kind: "head-moved", head: session.head });
  }
  const attempt = change.by === "anyone" ? null : change.by.attempt;
  return write(
    db,
    session,
    change.records.map((record) => ({ record, attempt, isForgotten: false })),
    session.claim.attempt,
  );
}

function take(db: Connection, change: TakeChange): Outcome {
  const session = readSessionRow(db, change.session);
  const prior = priorOf(db, change.session, change.records, session);
  if (prior?.kind === "done") return prior;
  const moved = takeRefusal(session, change);
  if (moved) return refused(moved);
  if (prior) return prior;
  const base = session ?? emptySession(change.session);
  const attempt = base.claim.attempt + 1;
  const outcome = write(
    db,
    base,
    change.records.map((record) => ({ record, attempt, isForgotten: false })),
    attempt,
  );
  if (outcome.kind === "refused") return outcome;
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

function takeRefusal(session: SessionRow | null, change: TakeChange): Refusal | null {
  if (!session) return change.seen === null ? null : { kind: "no-session" };
  if (change.seen === null) return { kind: "session-exists" };
  const holder = session.claim.owner?.instance ?? null;
  const isAsSeen = session.claim.attempt === change.seen.attempt && holder === change.seen.holder;
  return isAsSeen ? null : { kind: "claim-moved", claim: session.claim };
}

function release(db: Connection, change: ReleaseChange): Outcome {
  const session = readSessionRow(db, change.session);
  const prior = priorOf(db, change.session, change.records, session);
  if (prior?.kind === "done") return prior;
  if (!session) return refused({ kind: "no-session" });
  const fence = fenceOf(session.claim, change.attempt);
  if (fence) return refused(fence);
  if (prior) return prior;
  const stamped = change.records.map((record) => ({ record, attempt: change.attempt, isForgotten: false }));
  const outcome = write(db, session, stamped, change.attempt);
  if (outcome.kind === "done")
    db.run("UPDATE sessions SET owner = NULL, heartbeat_at_ms = NULL WHERE id = ?", session.id);
  return outcome;
}

function renew(db: Connection, change: RenewChange): Outcome {
  const session = readSessionRow(db, change.session);
  if (!session) return refused({ kind: "no-session" });
  const fence = fenceOf(session.claim, change.attempt);
  if (fence) return refused(fence);
  db.run("UPDATE sessions SET heartbeat_at_ms = ? WHERE id = ?", change.nowMs, change.session);
  return { kind: "done", seqs: [], head: session.head, attempt: change.attempt, isRepeat: false };
}

function bringIn(db: Connection, change: ImportChange): Outcome {
  const session = readSessionRow(db, change.session);
  const prior = priorOf(db, change.session, change.records, session);
  if (prior?.kind === "done") return prior;
  if (session?.claim.owner) return refused({ kind: "claim-moved", claim: session.claim });
  if (prior) return prior;
  const base = session ?? emptySession(change.session);
  if (base.head !== change.afterSeq) return refused({ kind: "head-moved", head: base.head });
  const attempt = Math.max(base.claim.attempt, change.attempt);
  const stamped = change.records.map((record) => ({
    record,
    attempt: record.attempt,
    isForgotten: record.isForgotten,
  }));
  const outcome = write(db, base, stamped, attempt);
  if (outcome.kind === "done")
    db.run("UPDATE sessions SET attempt = ? WHERE id = ?", attempt, change.session);
  return outcome;
}

/** All of them there already with the same body: a repeat. Some, or another body: the id is taken (D4). */
function priorOf(
  db: Connection,
  session: SessionId,
  records: readonly RawNewRecord[],
  row: SessionRow | null,
): Outcome | null {
  const twice = idGivenTwice(records);
  if (twice !== null) return refused({ kind: "id-reused", id: twice });
  if (!row) return null;
  const found = records.map((record) =>
    db.get(
      "SELECT seq, kind, attempt, body, spilled FROM records WHERE session = ? AND id = ?",
      session,
      record.id,
    ),
  );
  if (found.every((old) => old === null)) return null;
  for (const [i, record] of records.entries()) {
    const old = found[i];
    if (!old || !isSameRecord(old, record)) return refused({ kind: "id-reused", id: record.id });
  }
  return {
    kind: "done",
    seqs: found.map((old) => Number(old?.seq)),
    head: row.head,
    // The attempt it was written under: a late repeat of a take must not hand out somebody else's (K1).
    attempt: Number(found[0]?.attempt ?? row.claim.attempt),
    isRepeat: true,
  };
}

function idGivenTwice(records: readonly RawNewRecord[]): string | null {
  const ids = new Set<string>();
  for (const { id } of records) {
    if (ids.has(id)) return id;
    ids.add(id);
  }
  return null;
}

function isSameRecord(old: SqlRow, record: RawNewRecord): boolean {
  const spilled = old.spilled ? blobToHash(old.spilled) : null;
  return old.kind === record.kind && old.body === record.body && spilled === record.spilled;
}

function fenceOf(claim: ClaimRow, attempt: number): Refusal | null {
  const isCurrent = claim.attempt === attempt && claim.owner !== null;
  return isCurrent ? null : { kind: "fenced", current: claim.attempt, holder: claim.owner };
}

function write(db: Connection, session: SessionRow, stamped: readonly Stamped[], attempt: number): Outcome {
  const refusal = openRefusal(db, session.id, stamped) ?? contentRefusal(db, stamped);
  if (refusal) return refused(refusal);
  if (isNew(session))
    db.run(
      "INSERT INTO sessions (id, head, facts, attempt, threshold_ms) VALUES (?, 0, '{}', 0, 0)",
      session.id,
    );
  const seqs: number[] = [];
  let facts: JsonObject | null = null;
  let head = session.head;
  for (const { record, attempt: by, isForgotten } of stamped) {
    head++;
    seqs.push(head);
    const { id, kind, atMs, body, spilled } = record;
    db.run(
      INSERT_RECORD,
      ...fromRecord({
        session: session.id,
        seq: head,
        id,
        kind,
        attempt: by,
        atMs,
        body,
        spilled,
        isForgotten,
      }),
    );
    if (record.closes)
      db.run(
        "DELETE FROM open WHERE session = ? AND what = ? AND id = ?",
        session.id,
        record.closes.what,
        record.closes.id,
      );
    if (record.opens)
      db.run(
        "INSERT INTO open (session, what, id, seq) VALUES (?,?,?,?)",
        session.id,
        record.opens.what,
        record.opens.id,
        head,
      );
    for (const ref of record.contents)
      db.run(
        "INSERT INTO refs (hash, session, seq, path) VALUES (?,?,?,?)",
        hashToBlob(ref.hash),
        session.id,
        head,
        ref.path,
      );
    if (record.facts) facts = { ...(facts ?? session.facts), ...record.facts };
  }
  updateSession(db, session.id, head, facts);
  return { kind: "done", seqs, head, attempt, isRepeat: false };
}

/** Walks the records in order: one may close what an earlier one of the same change opened. */
function openRefusal(db: Connection, session: SessionId, stamped: readonly Stamped[]): Refusal | null {
  const changed = new Map<string, boolean>();
  const key = (ref: OpenRef): string => `${ref.what} ${ref.id}`;
  const isOpen = (ref: OpenRef): boolean =>
    changed.get(key(ref)) ??
    db.get("SELECT seq FROM open WHERE session = ? AND what = ? AND id = ?", session, ref.what, ref.id) !==
      null;
  for (const { record } of stamped) {
    for (const ref of [record.needs, record.closes])
      if (ref && !isOpen(ref)) return { kind: "not-open", ...ref };
    if (record.closes) changed.set(key(record.closes), false);
    if (record.opens && isOpen(record.opens)) return { kind: "already-open", ...record.opens };
    if (record.opens) changed.set(key(record.opens), true);
  }
  return null;
}

function contentRefusal(db: Connection, stamped: readonly Stamped[]): Refusal | null {
  for (const { record } of stamped) {
    for (const { hash } of record.contents) {
      if (!db.get("SELECT n FROM contents WHERE hash = ?", hashToBlob(hash)))
        return { kind: "content-missing", hash };
    }
  }
  return null;
}

function updateSession(db: Connection, id: SessionId, head: number, facts: JsonObject | null): void {
  if (!facts) {
    db.run("UPDATE sessions SET head = ? WHERE id = ?", head, id);
    return;
  }
  const text = (value: unknown): string | null => (typeof value === "string" ? value : null);
  db.run(
    "UPDATE sessions SET head = ?, facts = ?, workspace = ?, name = ? WHERE id = ?",
    head,
    JSON.stringify(facts),
    text(facts.workspace),
    text(facts.name),
    id,
  );
}

function emptySession(id: SessionId): SessionRow {
  return {
    id,
    head: 0,
    facts: {},
    claim: { attempt: 0, owner: null, acquiredAtMs: null, heartbeatAtMs: null, thresholdMs: 0 },
  };
}

/** A session is created by its first claim or import, both of which start from `emptySession`. */
const isNew = (session: SessionRow): boolean => session.head === 0 && session.claim.attempt === 0;

const refused = (refusal: Refusal): Outcome => ({ kind: "refused", refusal });
