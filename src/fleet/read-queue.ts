/** What waits, what is being done and what was done lately, in few statements whatever their number (T5). */
import type { SessionId } from "../model/ids.ts";
import { READ_PAGE_ROWS } from "../model/limits.ts";
import { itemOutcome } from "../model/queue-kinds.ts";
import { bodyAs, type StoredRecord } from "../model/record.ts";
import type { OpenRow, SessionRow } from "../store/contract/driver.ts";
import type { Store } from "../store/store.ts";
import { priorityIn, type RepositoryId, repositoryIn } from "./queue-place.ts";

/** Before anybody took it; from then on its session's state says more. */
export type ItemState = "waiting" | "deferred" | "taken" | "done" | "failed" | "cancelled";

export interface QueueItem {
  /** Of the session that does it, too. */
  readonly id: SessionId;
  readonly queue: SessionId;
  readonly repository: RepositoryId;
  /** What its repository is called. */
  readonly name: string;
  readonly priority: number;
  readonly state: ItemState;
  /** Null: it was forgotten or is damaged, and nobody can do it any more (D5). */
  readonly prompt: string | null;
  /** The record it was added by. */
  readonly seq: number;
  readonly addedAtMs: number;
  readonly notBeforeMs: number | null;
  readonly after: { readonly id: SessionId; readonly queue: SessionId } | null;
  readonly retries: string | null;
  /** Why it ended so, where that is said. */
  readonly why: string | null;
}

export interface QueueLook {
  /** Of each queue so many that wait, first in line first. */
  readonly waiting: number;
  readonly deferred: number;
  readonly taken: number;
  /** Of each queue so many that ended last. */
  readonly ended: number;
}

/** In the order they are taken; the ended ones last, newest first. */
export async function readItems(
  store: Store,
  queues: readonly SessionRow[],
  look: QueueLook,
): Promise<QueueItem[]> {
  const found = await Promise.all(queues.map((queue) => itemsOf(store, queue, look)));
  return found.flat();
}

async function itemsOf(store: Store, queue: SessionRow, look: QueueLook): Promise<QueueItem[]> {
  const open = (what: "item" | "deferred" | "taken", limit: number): Promise<readonly OpenRow[]> =>
    limit === 0 ? Promise.resolve([]) : store.open(queue.id, { what: [what], limit });
  const [waiting, deferred, taken, ended] = await Promise.all([
    open("item", look.waiting),
    open("deferred", look.deferred),
    open("taken", look.taken),
    endedIn(store, queue.id, look.ended),
  ]);
  const opened = [...waiting, ...deferred, ...taken];
  const openedBy = await recordsAt(
    store,
    queue.id,
    opened.map(({ seq }) => seq),
  );
  const told: Told[] = [
    ...opened.map(({ what, id, seq }, i) =>
      toldBy(STATES[what as keyof typeof STATES], id, seq, openedBy[i]),
    ),
    ...ended.flatMap((record) => endIn(record) ?? []),
  ];
  const added = await recordsAt(
    store,
    queue.id,
    told.map(({ seq }) => seq),
  );
  return told.map((one, i) => itemFrom(queue, one, added[i]));
}

/** What is known of an item without the record that has its prompt. */
interface Told extends Pick<QueueItem, "state" | "why" | "seq"> {
  readonly id: string;
  readonly atMs: number;
}

const STATES = { item: "waiting", deferred: "deferred", taken: "taken" } as const;

/** Records about an item name the one that has its prompt; that one is itself. */
function toldBy(state: ItemState, id: string, openSeq: number, record: StoredRecord | undefined): Told {
  const { seq, why } = record?.body ?? {};
  return {
    ...{ state, id, atMs: record?.atMs ?? 0 },
    seq: typeof seq === "number" ? seq : openSeq,
    why: typeof why === "string" ? why : null,
  };
}

function endIn(record: StoredRecord): Told | null {
  const { item, outcome } = record.body;
  const state = record.kind === "item.cancelled" ? "cancelled" : itemOutcome.safeParse(outcome).data;
  return state && typeof item === "string" ? toldBy(state, item, record.seq, record) : null;
}

async function endedIn(store: Store, session: SessionId, limit: number): Promise<readonly StoredRecord[]> {
  if (limit === 0) return [];
  const kinds = ["item.ended", "item.cancelled"];
  return store.records({ session, kinds, order: "backward", limit: Math.min(limit, READ_PAGE_ROWS) });
}

/** Asked in one tick: one statement on a server. Undefined where there is none any more. */
async function recordsAt(
  store: Store,
  session: SessionId,
  seqs: readonly number[],
): Promise<(StoredRecord | undefined)[]> {
  const found = await Promise.all(
    seqs.map((seq) => store.records({ session, fromSeq: seq, toSeq: seq, limit: 1 })),
  );
  return found.map(([record]) => record);
}

function itemFrom({ id: queue, facts }: SessionRow, told: Told, added: StoredRecord | undefined): QueueItem {
  const { id, state, seq, why, atMs } = told;
  // What a forgotten one keeps is its shape: its place in time, and what it waits for.
  const { retries, after, after_queue, not_before_ms } = added?.body ?? {};
  return {
    ...{ id: id as SessionId, queue, state, seq, why },
    repository: repositoryIn(queue),
    name: typeof facts.name === "string" ? facts.name : "",
    priority: priorityIn(queue),
    prompt: promptIn(added),
    addedAtMs: added?.atMs ?? atMs,
    notBeforeMs: typeof not_before_ms === "number" ? not_before_ms : null,
    after:
      typeof after !== "string" || typeof after_queue !== "string"
        ? null
        : { id: after as SessionId, queue: after_queue as SessionId },
    retries: typeof retries === "string" ? retries : null,
  };
}

const promptIn = (added: StoredRecord | undefined): string | null =>
  (added && (bodyAs(added, "item.deferred") ?? bodyAs(added, "item.queued"))?.prompt) ?? null;

/** The prompt of an item that a session does, by the session's row; null: it does none, or it was forgotten. */
export async function promptOf(store: Store, row: SessionRow): Promise<string | null> {
  const { queue, item_seq } = row.facts;
  if (typeof queue !== "string" || typeof item_seq !== "number") return null;
  const [added] = await recordsAt(store, queue as SessionId, [item_seq]);
  return promptIn(added);
}
