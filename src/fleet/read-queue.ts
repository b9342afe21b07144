/** What waits, what is being done and what was done lately, in few statements whatever their number (T5). */
import type { SessionId } from "../model/ids.ts";
import { READ_PAGE_ROWS } from "../model/limits.ts";
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
  readonly prompt: string;
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
  const opened = await recordsAt(
    store,
    queue.id,
    [...waiting, ...deferred, ...taken].map(({ seq }) => seq),
  );
  const told = [...opened, ...ended];
  const added = await recordsAt(store, queue.id, told.map(addedSeq));
  return told.flatMap((record, i) => itemFrom(queue, record, added[i]) ?? []);
}

async function endedIn(store: Store, session: SessionId, limit: number): Promise<readonly StoredRecord[]> {
  if (limit === 0) return [];
  const kinds = ["item.ended", "item.cancelled"];
  return store.records({ session, kinds, order: "backward", limit: Math.min(limit, READ_PAGE_ROWS) });
}

/** Asked in one tick: one statement on a server. */
async function recordsAt(store: Store, session: SessionId, seqs: readonly number[]): Promise<StoredRecord[]> {
  const found = await Promise.all(
    seqs.map((seq) => store.records({ session, fromSeq: seq, toSeq: seq, limit: 1 })),
  );
  return found.flat();
}

/** Records about an item name the one that has its prompt; that one is itself. */
const addedSeq = ({ seq, body }: StoredRecord): number => (typeof body.seq === "number" ? body.seq : seq);

function itemFrom(
  { id: queue, facts }: SessionRow,
  told: StoredRecord,
  added: StoredRecord | undefined,
): QueueItem | null {
  const state = stateIn(told);
  const deferred = added && bodyAs(added, "item.deferred");
  const body = deferred ?? (added && bodyAs(added, "item.queued"));
  // A forgotten or damaged one has no prompt: nobody can do it any more (D5).
  if (!state || !added || !body) return null;
  const { after = null, after_queue = null, not_before_ms = null } = deferred ?? {};
  return {
    ...{ id: body.item as SessionId, queue, state },
    repository: repositoryIn(queue),
    name: typeof facts.name === "string" ? facts.name : "",
    priority: priorityIn(queue),
    prompt: body.prompt,
    seq: added.seq,
    addedAtMs: added.atMs,
    notBeforeMs: not_before_ms,
    after:
      after === null || typeof after_queue !== "string"
        ? null
        : { id: after as SessionId, queue: after_queue as SessionId },
    retries: body.retries,
    why: typeof told.body.why === "string" ? told.body.why : null,
  };
}

function stateIn(told: StoredRecord): ItemState | null {
  switch (told.kind) {
    case "item.queued":
    case "item.due":
      return "waiting";
    case "item.deferred":
      return "deferred";
    case "item.taken":
      return "taken";
    case "item.cancelled":
      return "cancelled";
    case "item.ended":
      return bodyAs(told, "item.ended")?.outcome ?? null;
    default:
      return null;
  }
}

/** The prompt of an item that a session does, by the session's row; null: it does none, or it was forgotten. */
export async function promptOf(store: Store, row: SessionRow): Promise<string | null> {
  const { queue, item_seq } = row.facts;
  if (typeof queue !== "string" || typeof item_seq !== "number") return null;
  const [added] = await recordsAt(store, queue as SessionId, [item_seq]);
  if (!added) return null;
  return (bodyAs(added, "item.deferred") ?? bodyAs(added, "item.queued"))?.prompt ?? null;
}
