/**
 * Taking the next item: it leaves the queue and its session gets its first claim in one step, so that exactly one process has it, and what
 * becomes of it from then on is that session's (K1). In a queue none overtakes another; between queues nobody waits (SKIP LOCKED).
 */
import type { SessionId } from "../model/ids.ts";
import type { Owner } from "../model/owner.ts";
import { jitterMs } from "../platform/random.ts";
import { factId, newRecord } from "../session/new-record.ts";
import type { SessionRow } from "../store/contract/driver.ts";
import type { NewCandidate, Store } from "../store/store.ts";
import { cutToBytes } from "../text/cut-to-bytes.ts";
import { failWaiting, PROMPT_GONE } from "./queue.ts";
import { type QueueItem, readItems } from "./read-queue.ts";

/** Of each queue: whoever finds all of them taken by others looks again. */
const CANDIDATES = 4;
/** A goal is shown in lists and kept in the session's row; the whole prompt stays in the queue. */
const GOAL_BYTES = 2000;
/** Others were faster so often: the next look finds what is left. */
const MAX_ROUNDS = 50;

/** Somebody is just taking from the same queue; random, so that two do not march in step. */
const BUSY_MIN_MS = 5;
const BUSY_MAX_MS = 40;

export interface TakenItem {
  readonly item: DoableItem;
  readonly session: SessionId;
  readonly attempt: number;
}

/** How the session of an item begins. */
export interface ItemSession {
  readonly agent: string;
  readonly workspace: string;
  readonly name: string | null;
}

type DoableItem = QueueItem & { readonly prompt: string };
const hasPrompt = (item: QueueItem): item is DoableItem => item.prompt !== null;

/** True: one that nobody can do left the queue, by us. */
async function clearForgotten(store: Store, items: readonly QueueItem[]): Promise<boolean> {
  const gone = items.filter((item) => !hasPrompt(item));
  const ended = await Promise.all(gone.map((item) => failWaiting(store, item, PROMPT_GONE)));
  return ended.includes(true);
}

export async function takeItem(
  store: Store,
  queues: readonly SessionRow[],
  owner: Owner,
  sessionOf: (item: QueueItem) => ItemSession,
): Promise<TakenItem | null> {
  for (let round = 0; round < MAX_ROUNDS; ) {
    const look = { waiting: CANDIDATES, deferred: 0, taken: 0, ended: 0 };
    const found = await readItems(store, queues, look);
    if (found.length === 0) return null;
    const items = found.filter(hasPrompt);
    const isCleared = await clearForgotten(store, found);
    // What stood before the others is gone: that was no try.
    if (!isCleared) round++;
    if (items.length === 0) continue;
    const first = await store.first(items.map((item) => candidateFor(store, item, owner, sessionOf(item))));
    if (first.kind === "done") {
      const item = items[first.place] as DoableItem;
      return { item, session: item.id, attempt: 1 };
    }
    if (first.isBusy) await store.clock.sleep(jitterMs(BUSY_MIN_MS, BUSY_MAX_MS));
  }
  return null;
}

function candidateFor(
  { clock, lostAfterMs }: Store,
  item: DoableItem,
  owner: Owner,
  { agent, workspace, name }: ItemSession,
): NewCandidate {
  const { id, queue, seq, prompt } = item;
  const taken = { item: id, by: owner.instance, host: owner.host, seq };
  const goal = cutToBytes(prompt, GOAL_BYTES);
  const began = { agent, workspace, goal, name, supervised: true, queue, item_seq: seq };
  const claim = { attempt: 1, owner, why: "new", from: null, reason: null } as const;
  return [
    {
      kind: "append",
      session: queue,
      by: "anyone",
      records: [newRecord(clock, "item.taken", taken, factId("taken", id))],
    },
    {
      kind: "take",
      session: id,
      seen: null,
      owner,
      nowMs: clock.nowMs(),
      thresholdMs: lostAfterMs,
      records: [newRecord(clock, "session.began", began), newRecord(clock, "claim.taken", claim)],
    },
  ];
}
