/**
 * A session's story, computed from the records that tell it: who tried, what each turn came to, what was
 * said, called, asked, decided and left open. Text as it grew and file contents are not read for it.
 *
 * Bounded (T5): the newest records only, and `leftOut` says that there are older ones.
 */
import { READ_PAGE_ROWS } from "../../model/limits.ts";
import type { StoredRecord } from "../../model/record.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import type { Store } from "../../store/store.ts";
import { type TimelineAttempt, type TimelineCall, TimelineFold, type TimelineTurn } from "./timeline-fold.ts";

/** Records read for one timeline: some thousand calls, read in well under a second. */
const MAX_RECORDS = 5000;

const TOLD_BY = [
  "session.began",
  "session.finished",
  "session.suspended",
  "session.lifted",
  "claim.taken",
  "claim.released",
  "recovered",
  "input.queued",
  "input.taken",
  "input.dropped",
  "turn.began",
  "turn.ended",
  "message.added",
  "message.ended",
  "call.started",
  "call.ended",
  "operation.began",
  "operation.ended",
  "operations.committed",
  "operations.not-committed",
  "decided",
  "agent.warned",
  "agent.disconnected",
  "forgotten",
  "rows.lost",
] as const;

export interface Timeline {
  readonly attempts: readonly TimelineAttempt[];
  readonly turns: readonly TimelineTurn[];
  readonly calls: readonly TimelineCall[];
  readonly queue: TimelineFold["queue"];
  readonly operations: TimelineFold["operations"];
  readonly decisions: TimelineFold["decisions"];
  readonly notes: TimelineFold["notes"];
  /** Sequence number of the oldest record that was read; 1 when all were. */
  readonly fromSeq: number;
  readonly leftOut: boolean;
}

export async function readTimeline(store: Store, row: SessionRow): Promise<Timeline> {
  const newestFirst = await newestRecords(store, row);
  const oldest = newestFirst.at(-1);
  const leftOut = newestFirst.length >= MAX_RECORDS && (oldest?.seq ?? 1) > 1;
  const fold = new TimelineFold();
  for (const record of newestFirst.reverse()) fold.add(record);
  const { attempts, turns, calls, queue, operations, decisions, notes } = fold;
  return {
    attempts: [...attempts.values()],
    turns: [...turns.values()],
    calls: [...calls.values()],
    queue,
    operations,
    decisions,
    notes,
    fromSeq: leftOut ? (oldest?.seq ?? 1) : 1,
    leftOut,
  };
}

async function newestRecords(store: Store, row: SessionRow): Promise<StoredRecord[]> {
  const found: StoredRecord[] = [];
  let next = row.head;
  while (found.length < MAX_RECORDS && next >= 1) {
    const limit = Math.min(READ_PAGE_ROWS, MAX_RECORDS - found.length);
    const page = await store.records({
      session: row.id,
      toSeq: next,
      order: "backward",
      limit,
      kinds: TOLD_BY,
    });
    found.push(...page);
    const last = page.at(-1);
    if (!last || page.length < limit) break;
    next = last.seq - 1;
  }
  return found;
}
