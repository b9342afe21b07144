/**
 * Counting a dirty end when it is discovered (L2): what the journal says got done, what was open, whether somebody
 * had asked to stop, and the record that suspends.
 */

import { type Cause, causeFrom } from "../model/causes.ts";
import type { SessionId } from "../model/ids.ts";
import { bodyAs, type NewRecord, type StoredRecord } from "../model/record.ts";
import { type Clock, every } from "../platform/clock.ts";
import type { Heartbeat } from "../session/claims.ts";
import { countDirtyEnd, type DirtyEnds, isToSuspend, NO_DIRTY_ENDS } from "../session/escalation.ts";
import { newRecord } from "../session/new-record.ts";
import {
  callKey,
  EVIDENCE_KINDS,
  EVIDENCE_RECORDS,
  progressIn,
  type SessionProgress,
} from "../session/progress.ts";
import type { OpenRow, SessionRow } from "../store/contract/driver.ts";
import { suspendedFor } from "../store/contract/session-facts.ts";
import type { RecordSource } from "../store/record-tail.ts";
import type { Store } from "../store/store.ts";
import type { OpenThing, Recovered } from "./close-left-open.ts";

export interface DirtyEnd extends DirtyEnds {
  readonly cause: Cause;
  readonly progress: SessionProgress | null;
  /** A person stopped it: what the next reader is told. */
  readonly isStopped?: boolean;
  /** Of its turn, where somebody had asked to stop it; left out: it was interrupted. */
  readonly outcome?: "cancelled";
}

/** What somebody knows of the end beside its cause. */
export interface KnownEnd {
  /** It was asked to end, and that was no crash. */
  readonly isAsked?: boolean;
  /** A person stopped it (L2). */
  readonly isStopped?: boolean;
  /** It had come to its end: there is nothing to go on counting from. */
  readonly isFinished?: boolean;
  /** What was read for it already; left out: it is read. */
  readonly read?: DirtyEndRead;
}

export interface DirtyEndRead {
  readonly evidence: readonly StoredRecord[] | null;
  readonly order: StoredRecord | null;
}

const NOTHING_READ: DirtyEndRead = { evidence: null, order: null };

/** What counting needs of the journal, of a session with these things open. */
export async function readDirtyEnd(
  store: RecordSource,
  row: SessionRow,
  open: readonly OpenRow[],
): Promise<DirtyEndRead> {
  const [evidence, order] = await Promise.all([evidenceOf(store, row), stopOrdered(store, row, open)]);
  return { evidence, order };
}

/** The one place where dirty ends are counted: for whoever records one and for whoever only shows it. */
export async function findDirtyEnd(
  store: RecordSource,
  row: SessionRow | null,
  things: readonly OpenThing[],
  said: string | null,
  { isAsked = false, isStopped = false, isFinished = false, read }: KnownEnd = {},
): Promise<DirtyEnd> {
  // What a session left open that had ended by its own word is tidied up, not counted against it.
  const hasFinished = typeof row?.facts.ended_at_ms === "number";
  const cause = hasFinished ? "clean" : causeFrom(said);
  // Nothing was cut off: there is no end to count, and nothing to read.
  if (!things.some(isCutOff)) return { ...dirtyEndsOf(row), cause: causeFrom(said), progress: null };
  const open = things.map((thing) => thing.row);
  const { evidence, order } = read ?? (row ? await readDirtyEnd(store, row, open) : NOTHING_READ);
  const progress = evidence && progressIn(evidence);
  const isOrdered = order !== null;
  const end = {
    cause,
    call: openCall(things),
    hasProgress: progress !== null,
    isAsked: isAsked || isOrdered,
  };
  return {
    ...(isFinished ? NO_DIRTY_ENDS : countDirtyEnd(dirtyEndsOf(row), end)),
    cause: isHeard(order) && causeFrom(said) === "unknown" ? "signal" : causeFrom(said),
    progress,
    ...(isStopped || isOrdered ? { isStopped: true } : {}),
    ...(isOrdered ? { outcome: "cancelled" } : {}),
  };
}

/** L4: since the turn began that is open. An order from before it was about another one. */
async function stopOrdered(
  store: RecordSource,
  { id }: SessionRow,
  open: readonly OpenRow[],
): Promise<StoredRecord | null> {
  const turn = open.find(({ what }) => what === "turn");
  return turn ? stopAskedSince(store, id, turn.seq) : null;
}

/** Somebody was there: an order to a dead owner ends the turn, and is no cause of the death (T1). */
const isHeard = (order: StoredRecord | null): boolean => order !== null && order.body.owner_gone !== true;

const isCutOff = ({ row: { what } }: OpenThing): boolean =>
  what === "turn" || what === "call" || what === "message";

/** Oldest first. */
export async function evidenceOf(
  store: RecordSource,
  { id }: Pick<SessionRow, "id">,
): Promise<StoredRecord[]> {
  const page = await store.records({
    session: id,
    kinds: EVIDENCE_KINDS,
    order: "backward",
    limit: EVIDENCE_RECORDS,
  });
  return page.toReversed();
}

export function dirtyEndsOf(row: Pick<SessionRow, "facts"> | null): DirtyEnds {
  const { dirty_ends, dirty_call } = row?.facts ?? {};
  return { count: Number(dirty_ends ?? 0), call: typeof dirty_call === "string" ? dirty_call : null };
}

/** What was open when the turn was cut off that none has ended after (L1), whoever closed it; null: nothing was cut off. */
export async function lastRecovered(store: Store, { id, facts }: SessionRow): Promise<Recovered | null> {
  if (typeof facts.interrupted !== "string") return null;
  const [last] = await store.records({ session: id, kinds: ["recovered"], order: "backward", limit: 1 });
  const said = last ? bodyAs(last, "recovered") : null;
  return said && { cause: said.cause, turns: said.turns, calls: said.calls, messages: said.messages };
}

/** The last that was begun: what was done at the very end. */
function openCall(things: readonly OpenThing[]): string | null {
  const last = things.findLast(({ row }) => row.what === "call");
  return last ? callKey(last.opened.body.tool, last.opened.body.input) : null;
}

/** The record that suspends a session which died too often without getting anything done (L2), or none. */
export function suspension(
  clock: Clock,
  row: Pick<SessionRow, "facts"> | null,
  ends: DirtyEnds,
): NewRecord[] {
  if (!isToSuspend(ends) || suspendedFor(row) !== null) return [];
  // The tool's name; the hash behind it is for comparing.
  const inCall = ends.call === null ? "" : `, in the call of ${ends.call.replace(/ [0-9a-f]+$/, "")}`;
  const reason = `It ended ${ends.count} times without saying so and without getting anything done${inCall}.`;
  return [newRecord(clock, "session.suspended", { reason, by: "escalation" })];
}

// Whether somebody asked to stop since a turn began: then the person stopped it, however its owner came to its end (L4).

/** As often as a gateway looks: a person who asked waits no longer than this. */
const LOOK_MS = 1_000;

async function stopAskedSince(
  store: RecordSource,
  session: SessionId,
  seq: number,
): Promise<StoredRecord | null> {
  const [asked] = await store.records({ session, kinds: ["stop.asked"], fromSeq: seq, limit: 1 });
  return asked ?? null;
}

/**
 * Looks for orders by a timer that keeps no process alive, and tells of each once. A look that fails is no news: the next
 * one looks again, and the session's own writes fail where somebody waits for them. What `onStop` throws is the
 * process's uncaught error, as of every callback: an order that nobody obeyed must not look as if somebody had.
 */
export function watchForStops(
  store: Store,
  session: SessionId,
  fromSeq: number,
  onStop: (reason: string) => void,
): Heartbeat {
  let next = fromSeq;
  let version = -1;
  let isLooking = false;
  const look = async (): Promise<string | null> => {
    const now = await store.driver.version();
    if (now === version) return null;
    const asked = await stopAskedSince(store, session, next);
    if (!asked) {
      version = now;
      return null;
    }
    next = asked.seq + 1;
    return typeof asked.body.reason === "string" ? asked.body.reason : "asked to stop";
  };
  return every(LOOK_MS, () => {
    if (isLooking) return;
    isLooking = true;
    void look()
      .catch(() => null)
      .then((reason) => {
        isLooking = false;
        if (reason !== null) onStop(reason);
      });
  });
}
