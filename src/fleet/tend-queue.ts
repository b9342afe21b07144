/**
 * What becomes of items without anybody's order: what a deferred one waited for is there; the session of one has ended, and whoever ran it
 * died before he could say so. Anyone may do it, as often as he likes: each is said once (D4).
 */
import type { SessionId } from "../model/ids.ts";
import { bodyAs } from "../model/record.ts";
import { selfOwner } from "../platform/identity.ts";
import { giveBack, Held, takeClaim } from "../session/claims.ts";
import { decideClaim } from "../session/decide-claim.ts";
import { factId, newRecord } from "../session/new-record.ts";
import type { SessionRow } from "../store/contract/driver.ts";
import { livenessOfHolder } from "../store/holder.ts";
import type { Store } from "../store/store.ts";
import { dueRecord, failWaiting, MAX_DEFERRED, PROMPT_GONE, written } from "./queue.ts";
import { type QueueItem, readItems } from "./read-queue.ts";

/** Looked at in each queue, the longest at work first: those that end well are ended by who ran them. */
const MAX_TAKEN = 200;

export async function tendQueues(store: Store, queues: readonly SessionRow[]): Promise<void> {
  const look = { waiting: 0, deferred: MAX_DEFERRED, taken: MAX_TAKEN, ended: 0 };
  const items = await readItems(store, queues, look);
  const nowMs = store.clock.nowMs();
  // The ends first: one of them may be what another waits for.
  await Promise.all(items.filter(({ state }) => state === "taken").map((item) => endIfOver(store, item)));
  for (const item of items)
    if (item.state === "deferred" && item.prompt === null) await failWaiting(store, item, PROMPT_GONE);
    else if (item.state === "deferred" && (await isDue(store, item, nowMs)))
      await written(store, item.queue, [dueRecord(store, item)]);
}

async function isDue(store: Store, item: QueueItem, nowMs: number): Promise<boolean> {
  if (item.notBeforeMs !== null && item.notBeforeMs > nowMs) return false;
  if (item.after === null) return true;
  const { id, queue } = item.after;
  const open = await store.open(queue, { what: ["item", "deferred", "taken"] });
  return !open.some((one) => one.id === id);
}

/** The item of this session, if it is one's, ends with it. */
export async function endItemOf(store: Store, session: SessionId): Promise<void> {
  const { queue, item_seq: seq } = (await store.session(session))?.facts ?? {};
  if (typeof queue === "string" && typeof seq === "number")
    await endIfOver(store, { id: session, queue: queue as SessionId, seq });
}

/** True: its session has ended by now, and the item with it. */
export async function endIfOver(
  store: Store,
  item: Pick<QueueItem, "id" | "queue" | "seq">,
): Promise<boolean> {
  const row = await store.session(item.id);
  if (typeof row?.facts.ended_at_ms !== "number") return false;
  // Whoever ended it and still holds it has the last word; one that died before he gave it back has not.
  const { liveness } = livenessOfHolder(row);
  if (decideClaim(row.claim, liveness, store.clock.nowMs()).kind === "held") return false;
  const { outcome, why } = await outcomeOf(store, row);
  const body = { item: item.id, outcome, why, seq: item.seq };
  return written(store, item.queue, [newRecord(store.clock, "item.ended", body, factId("ended", item.id))]);
}

/** One that was taken so often and never begun: nobody takes it any more, and it says so. */
export async function giveUpItem(store: Store, row: SessionRow, tries: number): Promise<void> {
  const { id, facts } = row;
  const owner = selfOwner("refloat worker");
  const taken = await takeClaim(store, { session: id, owner, records: () => [] }).catch((thrown: unknown) => {
    if (thrown instanceof Held) return null; // another tries it once more
    throw thrown;
  });
  if (!taken) return;
  const { attempt } = taken;
  const why = `its agent could not be started, ${tries === 1 ? "once" : `${tries} times`}`;
  const body = { item: id, outcome: "failed", why, seq: Number(facts.item_seq) } as const;
  try {
    await written(store, facts.queue as SessionId, [
      newRecord(store.clock, "item.ended", body, factId("ended", id)),
    ]);
    await store.release(id, attempt, [
      newRecord(store.clock, "session.finished", { cause: "unknown" }),
      newRecord(store.clock, "claim.released", { attempt }),
    ]);
  } catch (thrown) {
    await giveBack(store, { session: id, attempt, owner });
    throw thrown;
  }
}

/** Done is what its last turn completed (L7), and nothing else. */
async function outcomeOf(
  store: Store,
  { id: session, facts }: SessionRow,
): Promise<{ outcome: "done" | "failed"; why: string | null }> {
  const [last] = await store.records({ session, kinds: ["turn.ended"], order: "backward", limit: 1 });
  const ended = last && bodyAs(last, "turn.ended");
  if (ended?.outcome === "completed") return { outcome: "done", why: null };
  const cause = typeof facts.cause === "string" ? facts.cause : "unknown";
  return { outcome: "failed", why: ended ? `its last turn was ${ended.outcome}` : `it ended: ${cause}` };
}
