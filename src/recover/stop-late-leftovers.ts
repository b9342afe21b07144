/**
 * Stops what carries the mark of an attempt that is over and settled (S2): a process that came to life, or was found, only
 * after its end was recorded. Recovery passes over sessions that ended; the processes themselves say which of those matter,
 * so that a thousand old sessions cost one look at the list of processes.
 */
import type { SessionId } from "../model/ids.ts";
import { bodyAs } from "../model/record.ts";
import { selfOwner } from "../platform/identity.ts";
import { parseMark } from "../session/mark.ts";
import { newRecord } from "../session/new-record.ts";
import { gatherProcesses } from "../session/process-facts.ts";
import { type LeftoverEnd, stopLeftovers } from "../session/stop-leftovers.ts";
import type { SessionRow } from "../store/contract/driver.ts";
import type { Store } from "../store/store.ts";
import { liveOwnersIn } from "./list-leftovers.ts";
import type { AroundOptions } from "./look-around.ts";
import { surveySession } from "./survey-session.ts";

export async function stopLateLeftovers(
  store: Store,
  rows: readonly SessionRow[],
  onFound: NonNullable<AroundOptions["stopping"]>["onFound"],
): Promise<LeftoverEnd[]> {
  const known = new Map(rows.map((row) => [row.id as string, row]));
  const marks = new Set(
    (gatherProcesses() ?? []).flatMap(({ mark, isOurs }) => (mark !== null && isOurs ? [mark] : [])),
  );
  const ends: LeftoverEnd[] = [];
  for (const mark of marks) {
    const row = known.get(parseMark(mark)?.session ?? "");
    if (!row || !(await isOver(store, row, mark))) continue;
    const options = { clock: store.clock, liveOwners: await liveOwnersIn(store, row.id), onFound };
    const stopped = (await stopLeftovers({ mark, seen: [], self: selfOwner().pid }, options)) ?? [];
    if (stopped.length > 0) await recordStopped(store, row.id, mark, stopped);
    ends.push(...stopped);
  }
  return ends;
}

/** Its owner is gone and its end is settled: the record is nobody's own, as its stopping was. */
async function recordStopped(
  store: Store,
  session: SessionId,
  mark: string,
  ends: readonly LeftoverEnd[],
): Promise<void> {
  const body = { attempt: parseMark(mark)?.attempt ?? 0, processes: ends.map((end) => ({ ...end })) };
  await store.append(session, "anyone", [newRecord(store.clock, "leftovers.late", body)]);
}

/** Only the exact mark of an attempt that was recorded, and only while nobody holds the session. */
async function isOver(store: Store, row: SessionRow, mark: string): Promise<boolean> {
  const { life } = await surveySession(store, row);
  if (life.isHeld) return false;
  for await (const record of store.journal(row.id, { kinds: ["agent.marked"] }))
    if (bodyAs(record, "agent.marked")?.mark === mark) return true;
  return false;
}
