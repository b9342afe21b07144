/**
 * Recovers one session whose owner is proved dead. What is on disk after each step, and what the next start does when
 * this one is killed there:
 *
 *  1. claimed and settled   one transaction (C4, K4): claim, results of open calls, end of the turn, the cause, the count.
 *                           Before it: nothing. After it: nobody settles again; `owes_end_capture` stands on the row.
 *  2. leftovers stopped     only for the commands S2 names; on record. Killed in it: the rest is found again.
 *  3. end capture           the workspace as the session left it. Killed in it: owed still, the next start takes it.
 *  4. given back            with the progress the capture showed and the suspension, if it comes to that (L2).
 *
 * Of two starts one gets the claim; the other is told who has it (Held) and waits for it (recover-sessions.ts).
 */

import { closeLeftOpen, type Recovered } from "../conversation/close-left-open.ts";
import { dirtyEndsOf, evidenceOf, findDirtyEnd, suspension } from "../conversation/dirty-end.ts";
import { openThings } from "../conversation/open-things.ts";
import { causeFrom } from "../model/causes.ts";
import type { NewRecord, StoredRecord } from "../model/record.ts";
import { RECOVERY_LABEL } from "../model/recovery-label.ts";
import { selfOwner } from "../platform/identity.ts";
import { type SeenSession, takeClaim } from "../session/claims.ts";
import { countDirtyEnd, type DirtyEnds } from "../session/escalation.ts";
import { newRecord } from "../session/new-record.ts";
import { progressIn } from "../session/progress.ts";
import type { SessionRow } from "../store/contract/driver.ts";
import type { AskLiveness } from "../store/holder.ts";
import type { Store } from "../store/store.ts";
import { type PrintedWords, unkeptOutput } from "./attempt-story.ts";
import { finishCause, type NamedEnd } from "./name-end.ts";
import type { SurveyedSession } from "./survey-session.ts";

export interface ClosedAttempt {
  readonly attempt: number;
  readonly recovered: Recovered | null;
}

/** Somebody has had the claim since the session was surveyed: what was found then no longer holds. Nothing was written. */
export class RecoveryOvertaken extends Error {
  override readonly name = "Overtaken";
}

export interface ClosingOptions {
  readonly home: string;
  readonly liveness?: AskLiveness;
  readonly owesEndCapture: boolean;
  readonly words?: PrintedWords;
}

/** Step 1. Throws Held while somebody has it, Overtaken when somebody had it since. */
export async function closeSession(
  store: Store,
  surveyed: SurveyedSession,
  options: ClosingOptions,
): Promise<ClosedAttempt> {
  let recovered: Recovered | null = null;
  const { attempt } = await takeClaim(store, {
    session: surveyed.row.id,
    owner: selfOwner(RECOVERY_LABEL),
    ...(options.liveness ? { liveness: options.liveness } : {}),
    records: async (seen) => {
      const settled = await closingRecords(store, surveyed, seen, options);
      recovered = settled.recovered;
      return settled.records;
    },
  });
  return { attempt, recovered };
}

async function closingRecords(
  store: Store,
  { end, story, row }: SurveyedSession,
  seen: SeenSession,
  { home, owesEndCapture, words }: ClosingOptions,
): Promise<{ records: NewRecord[]; recovered: Recovered | null }> {
  if (seen.row?.claim.attempt !== row.claim.attempt) throw new RecoveryOvertaken();
  const things = await openThings(store, row.id, seen);
  const found = await findDirtyEnd(store, seen.row, things, end?.cause ?? seen.decision.cause, end ?? {});
  const settled = closeLeftOpen(
    store.clock,
    things,
    { ...found, ...(end && end.outcome !== "interrupted" ? { outcome: end.outcome } : {}) },
    {
      evidence: [...(end?.evidence ?? [])],
      end_capture: owesEndCapture ? "owed" : "none",
      ...(end?.isAsked ? { asked: true } : {}),
    },
  );
  if (!settled.recovered || !end) return settled;
  return {
    ...settled,
    records: [
      ...(await outputRecords(store, home, row, story, words)),
      ...settled.records,
      ...endRecords(store, end),
    ],
  };
}

async function outputRecords(
  store: Store,
  home: string,
  { id }: SessionRow,
  story: SurveyedSession["story"],
  words: PrintedWords | undefined,
): Promise<NewRecord[]> {
  const text = await unkeptOutput(home, id, story, words);
  if (text === null) return [];
  return [newRecord(store.clock, "output.kept", { attempt: story.attempt, text, bytes_seen: null })];
}

const endRecords = (store: Store, end: NamedEnd): NewRecord[] =>
  end.isFinished ? [newRecord(store.clock, "session.finished", { cause: finishCause(end) })] : [];

/** Step 4. */
export async function giveBack(
  store: Store,
  session: SessionRow["id"],
  attempt: number,
): Promise<{ suspended: string | null }> {
  const [row, evidence] = await Promise.all([store.session(session), evidenceOf(store, { id: session })]);
  const ends = row && countedAnew(store, row, evidence);
  const suspending = row && ends ? suspension(store.clock, row, ends.ends) : [];
  await store.release(session, attempt, [
    ...(ends?.records ?? []),
    ...suspending,
    newRecord(store.clock, "claim.released", { attempt }),
  ]);
  const reason = suspending[0]?.body.reason;
  return { suspended: typeof reason === "string" ? reason : null };
}

/** L2: the count that was written with the settlement did not know what was captured after it. */
function countedAnew(
  store: Store,
  row: SessionRow,
  oldestFirst: readonly StoredRecord[],
): { ends: DirtyEnds; records: NewRecord[] } {
  const last = oldestFirst.findLast(({ kind }) => kind === "recovered");
  const capture = oldestFirst.findLast(
    ({ kind, body }) => kind === "capture.taken" && body.held_outside !== true,
  );
  const ends = dirtyEndsOf(row);
  const asCounted = { ends, records: [] };
  if (!last || !capture || capture.seq < last.seq || last.body.progress !== null) return asCounted;
  const by = progressIn(oldestFirst.filter((record) => record !== last));
  if (by === null) return asCounted;
  const isAsked = last.body.asked === true;
  const end = { cause: causeFrom(last.body.cause), call: ends.call, hasProgress: true, isAsked };
  const counted = countDirtyEnd(ends, end);
  const body = { by, capture: String(capture.body.capture), dirty_ends: counted.count };
  return { ends: counted, records: [newRecord(store.clock, "progress.found", body)] };
}
