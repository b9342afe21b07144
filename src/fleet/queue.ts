/** Adding to a queue and taking out of it again what nobody has begun. Each is one append: there when it is answered, or not at all (D1). */
import { RefloatError } from "../model/errors.ts";
import type { SessionId } from "../model/ids.ts";
import type { NewRecord } from "../model/record.ts";
import { selfOwner } from "../platform/identity.ts";
import { randomId } from "../platform/random.ts";
import { factId, newRecord } from "../session/new-record.ts";
import type { Store } from "../store/store.ts";
import { ensureJournal } from "./own-journals.ts";
import { queueOf, type RepositoryId } from "./queue-place.ts";
import type { QueueItem } from "./read-queue.ts";

/** One word of a command line may have 128 KiB on Linux, and an agent gets it as one. */
export const MAX_PROMPT_BYTES = 96 * 1024;
/** Of one repository and priority: whoever adds more has a loop, or wants a queue of his own. */
export const MAX_WAITING = 2000;
/** Each is looked at again and again until it is due. */
export const MAX_DEFERRED = 500;

export const PROMPT_GONE = "its prompt was forgotten or is damaged";

export interface NewItem {
  readonly repository: RepositoryId;
  /** What the repository is called on screens. */
  readonly name: string;
  readonly priority: number;
  readonly prompt: string;
  readonly notBeforeMs: number | null;
  /** An item that must have ended before. */
  readonly after: Pick<QueueItem, "id" | "queue"> | null;
  readonly retries: string | null;
}

export interface AddedItem {
  readonly id: SessionId;
  readonly queue: SessionId;
  readonly isDeferred: boolean;
}

export async function addItem(store: Store, order: NewItem): Promise<AddedItem> {
  const { prompt, notBeforeMs, after, retries } = order;
  assertPrompt(prompt);
  const queue = queueOf(order.repository, order.priority);
  const isDeferred = notBeforeMs !== null || after !== null;
  await ensureJournal(store, queue, order.name);
  await assertRoom(store, queue, isDeferred);
  const id = randomId() as SessionId;
  const about = { item: id, prompt, retries };
  const record: NewRecord = isDeferred
    ? newRecord(
        store.clock,
        "item.deferred",
        { ...about, not_before_ms: notBeforeMs, after: after?.id ?? null, after_queue: after?.queue ?? null },
        factId("added", id),
      )
    : newRecord(store.clock, "item.queued", about, factId("added", id));
  await store.append(queue, "anyone", [record]);
  return { id, queue, isDeferred };
}

function assertPrompt(prompt: string): void {
  const bytes = Buffer.byteLength(prompt);
  if (bytes > MAX_PROMPT_BYTES)
    throw new RefloatError("E_TOO_LARGE", { what: "The prompt", bytes, limit: MAX_PROMPT_BYTES });
  if (prompt.trim() === "") throw new RefloatError("E_USAGE", { why: "The prompt is empty." });
  // No word of a command line can hold it.
  if (prompt.includes("\0")) throw new RefloatError("E_USAGE", { why: "The prompt has a NUL byte in it." });
}

async function assertRoom(store: Store, queue: SessionId, isDeferred: boolean): Promise<void> {
  const limit = isDeferred ? MAX_DEFERRED : MAX_WAITING;
  const waiting = await store.open(queue, { what: [isDeferred ? "deferred" : "item"], limit });
  if (waiting.length >= limit) throw new RefloatError("E_QUEUE_FULL", { count: limit });
}

/** False: somebody took it, or cancelled it, just now. */
export async function cancelWaiting(store: Store, item: QueueItem, reason: string): Promise<boolean> {
  const { id, queue, state, seq } = item;
  const due = state === "deferred" ? [dueRecord(store, { id, seq })] : [];
  const cancelled = newRecord(
    store.clock,
    "item.cancelled",
    { item: id, reason, seq },
    factId("cancelled", id),
  );
  return written(store, queue, [...due, cancelled]);
}

/** One that waits and that nobody can do any more: it would stand before the others for good. False: somebody said just now what became of it. */
export const failWaiting = (
  store: Store,
  { id, queue, seq, state }: Pick<QueueItem, "id" | "queue" | "seq" | "state">,
  why: string,
): Promise<boolean> => {
  const { instance, host } = selfOwner("refloat");
  const due = state === "deferred" ? [dueRecord(store, { id, seq })] : [];
  const taken = { item: id, by: instance, host, seq };
  return written(store, queue, [
    ...due,
    newRecord(store.clock, "item.taken", taken, factId("taken", id)),
    newRecord(store.clock, "item.ended", { item: id, outcome: "failed", why, seq }, factId("ended", id)),
  ]);
};

/** One whose session nobody runs, and which was ended for it. False: somebody said just now what became of it. */
export const cancelTaken = (
  store: Store,
  { id, queue, seq }: Pick<QueueItem, "id" | "queue" | "seq">,
  reason: string,
): Promise<boolean> => {
  const body = { item: id, outcome: "cancelled", why: reason, seq } as const;
  return written(store, queue, [newRecord(store.clock, "item.ended", body, factId("ended", id))]);
};

export const dueRecord = (
  { clock }: Pick<Store, "clock">,
  { id, seq }: Pick<QueueItem, "id" | "seq">,
): NewRecord => newRecord(clock, "item.due", { item: id, seq }, factId("due", id));

/** What several may say of an item at once, one says; false: it was another. */
export async function written(
  store: Store,
  queue: SessionId,
  records: readonly NewRecord[],
): Promise<boolean> {
  try {
    await store.append(queue, "anyone", records);
    return true;
  } catch (thrown) {
    const isOver = thrown instanceof RefloatError && OVER.has(thrown.code);
    if (isOver) return false;
    throw thrown;
  }
}

/** It is not open any more, or the same was said in other words. */
const OVER: ReadonlySet<string> = new Set(["E_NOT_OPEN", "E_ALREADY_OPEN", "E_ID_REUSED"]);
