/** The captures of a workspace, newest first, and one of them by its id. */

import type { Capture } from "../../model/capture.ts";
import { RefloatError } from "../../model/errors.ts";
import type { SessionId } from "../../model/ids.ts";
import { CAPTURE_PAGE_ROWS } from "../../model/limits.ts";
import { bodyAs, type StoredRecord } from "../../model/record.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import type { Store } from "../../store/store.ts";
import { isLongEnough } from "../../text/by-beginning.ts";
import { lastCaptureOf } from "../sessions/workspace-sessions.ts";
import { captureRecordId, type TakenCapture } from "./take-capture.ts";

/** Matches shown when several fit. */
const MAX_SHOWN = 5;

/** One session's captures in the order they were taken. */
export async function* capturesOf(store: Store, session: SessionId): AsyncGenerator<TakenCapture> {
  const range = { kinds: ["capture.taken"], pageRows: CAPTURE_PAGE_ROWS };
  for await (const record of store.journal(session, range)) {
    const taken = takenOf(record);
    if (taken) yield taken;
  }
}

/** The first that still holds what it says: how the session found the workspace. */
export async function firstCapture(store: Store, session: SessionId): Promise<TakenCapture | null> {
  for await (const record of store.journal(session, { kinds: ["capture.taken"], pageRows: 1 })) {
    const taken = takenOf(record);
    if (taken) return taken;
  }
  return null;
}

/** The last so many captures of each session, all together newest first: by the time they say, for people (D3). */
export async function newestCaptures(
  store: Store,
  rows: readonly SessionRow[],
  limit: number,
): Promise<TakenCapture[]> {
  const found: TakenCapture[] = [];
  for (const { id, facts } of rows) {
    if (facts.capture === undefined) continue;
    const page = await store.records({ session: id, kinds: ["capture.taken"], order: "backward", limit });
    for (const record of page) {
      const taken = takenOf(record);
      if (taken) found.push(taken);
    }
  }
  return found.sort((a, b) => b.atMs - a.atMs || b.seq - a.seq).slice(0, limit);
}

/** A capture as a list shows it: without what it holds, which of a large tree is megabytes. */
export interface ListedCapture {
  readonly id: string;
  readonly atMs: number;
  readonly reason: string;
  readonly partial: boolean;
}

export interface CaptureList {
  /** Newest first. */
  readonly listed: readonly ListedCapture[];
  /** Of those, whole and newest first: the newest by status and the newest of an end. */
  readonly whole: readonly TakenCapture[];
}

/** The newest of one session; never more than three of them whole in memory. */
export async function listCaptures(store: Store, row: SessionRow, limit: number): Promise<CaptureList> {
  const listed: ListedCapture[] = [];
  const whole: TakenCapture[] = [];
  let spare: TakenCapture | null = null;
  if (row.facts.capture === undefined) return { listed, whole };
  for (let toSeq = row.head; listed.length < limit; ) {
    const query = { session: row.id, kinds: ["capture.taken"], order: "backward", toSeq, limit: 1 } as const;
    const [record] = await store.records(query);
    if (!record) break;
    const taken = takenOf(record);
    if (taken) {
      const { reason, partial } = taken.capture;
      listed.push({ id: taken.id, atMs: taken.atMs, reason, partial });
      // One that was held before a command and taken in later is the newest of nothing, unless there is no other.
      const isLater = taken.capture.held_outside === true;
      if (isLater) spare ??= taken;
      const isFirst = (what: (one: TakenCapture) => boolean): boolean =>
        !isLater && what(taken) && !whole.some(what);
      if (
        isFirst(({ capture }) => capture.how === "status") ||
        isFirst(({ capture }) => capture.reason === "end")
      )
        whole.push(taken);
    }
    toSeq = record.seq - 1;
  }
  if (whole.length === 0 && spare !== null) whole.push(spare);
  return { listed, whole };
}

/** By its id or the beginning of it. */
export async function findCapture(
  store: Store,
  rows: readonly SessionRow[],
  typed: string,
): Promise<TakenCapture> {
  for (const { id } of rows) {
    const record = await store.recordById(id, captureRecordId(typed));
    const taken = record && takenOf(record);
    if (taken) return taken;
  }
  const matches: TakenCapture[] = [];
  if (isLongEnough(typed)) {
    for (const { id, facts } of rows) {
      if (facts.capture === undefined) continue;
      for await (const taken of capturesOf(store, id)) if (taken.id.startsWith(typed)) matches.push(taken);
    }
  }
  const [one, ...others] = matches;
  if (!one) throw new RefloatError("E_NO_CAPTURE", { what: typed });
  if (others.length === 0) return one;
  const shown = matches.slice(0, MAX_SHOWN).map(({ id }) => id);
  throw new RefloatError("E_AMBIGUOUS_CAPTURE", { what: typed, matches: shown.join(", ") });
}

/** By its whole id, or, of a session's newest, the beginning of it: whoever has the store can ask for it from anywhere (W8). */
export async function findCaptureAnywhere(store: Store, typed: string): Promise<TakenCapture | null> {
  for await (const row of store.everySession()) {
    const newest = lastCaptureOf(row)?.id ?? null;
    if (newest === null) continue;
    const id = isLongEnough(typed) && newest.startsWith(typed) ? newest : typed;
    const record = await store.recordById(row.id, captureRecordId(id));
    const taken = record && takenOf(record);
    if (taken) return taken;
  }
  return null;
}

/** Null: forgotten or damaged, so it holds nothing any more. */
function takenOf(record: StoredRecord): TakenCapture | null {
  const capture: Capture | null = record.isForgotten ? null : bodyAs(record, "capture.taken");
  if (!capture) return null;
  return { id: capture.capture, session: record.session, seq: record.seq, atMs: record.atMs, capture };
}
