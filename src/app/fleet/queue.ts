/** The queue of a repository: adding work for workers, seeing what became of it, cancelling and trying again (docs/fleet.md). */
import { basename } from "node:path";
import {
  type AddedItem,
  addItem,
  cancelTaken,
  cancelWaiting,
  MAX_PROMPT_BYTES,
  PROMPT_GONE,
} from "../../fleet/queue.ts";
import { PRIORITIES, queuesOf, repositoryOf } from "../../fleet/queue-place.ts";
import { type ItemState, type QueueItem, readItems } from "../../fleet/read-queue.ts";
import { tendQueues } from "../../fleet/tend-queue.ts";
import { RefloatError } from "../../model/errors.ts";
import { READ_PAGE_ROWS } from "../../model/limits.ts";
import { newRecord } from "../../session/new-record.ts";
import type { SessionState } from "../../session/state.ts";
import { suspendedFor } from "../../store/contract/session-facts.ts";
import { isLongEnough } from "../../text/by-beginning.ts";
import type { AppPlace } from "../place/app-place.ts";
import { workspaceAt } from "../place/workspace-here.ts";
import { stopSession } from "../run/stop.ts";
import type { RefloatStore } from "../store/open-store.ts";

/** What ended is read this far back where somebody asks for it. */
const MAX_ENDED = 100;
/** Of each queue; a list of more is nobody's to read. */
const MAX_LISTED = READ_PAGE_ROWS;
const MAX_SHOWN_MATCHES = 5;

export interface QueueOrder {
  readonly prompt: string;
  readonly priority: number;
  /** Not before so long from now; null: at once. */
  readonly afterMs: number | null;
  /** Not before that item has ended; null: it waits for none. */
  readonly afterItem: string | null;
  /** A folder of a clone. */
  readonly repo: string;
}

/** With what its session says of itself, once it has one. */
export interface ListedItem extends QueueItem {
  readonly session: {
    readonly state: SessionState;
    readonly attempt: number;
    readonly host: string | null;
  } | null;
}

export async function addToQueue(
  at: AppPlace,
  order: QueueOrder,
): Promise<AddedItem & { repository: string }> {
  const store = await at.openOrMakeStore();
  const { workspace } = await workspaceAt(at, store, order.repo);
  const repository = await repositoryOf(workspace);
  const after = order.afterItem === null ? null : await itemNamed(store, order.afterItem);
  const added = await addItem(store.raw, {
    ...{ repository, after, retries: null },
    name: basename(workspace.root),
    priority: order.priority,
    prompt: order.prompt,
    notBeforeMs: order.afterMs === null ? null : at.clock.nowMs() + order.afterMs,
  });
  return { ...added, repository };
}

export interface QueueListing {
  /** Null: every repository's. */
  readonly repository: string | null;
  readonly items: readonly ListedItem[];
}

/** `repo`: a folder of a clone; null: every repository's. */
export async function listQueue(
  at: AppPlace,
  { repo, isWithEnded }: { readonly repo: string | null; readonly isWithEnded: boolean },
): Promise<QueueListing> {
  const store = await at.findStore();
  const repository =
    repo === null ? null : await repositoryOf((await workspaceAt(at, store, repo)).workspace);
  if (!store) return { repository, items: [] };
  const queues = await queuesOf(store.raw, repository === null ? null : [repository]);
  const look = {
    ...{ waiting: MAX_LISTED, deferred: MAX_LISTED, taken: MAX_LISTED },
    ended: isWithEnded ? MAX_ENDED : 0,
  };
  return { repository, items: await withSessions(store, await readItems(store.raw, queues, look)) };
}

async function withSessions(store: RefloatStore, items: readonly QueueItem[]): Promise<ListedItem[]> {
  const begun = items.filter(({ state }) => HAS_SESSION.has(state)).map(({ id }) => id);
  const rows = (await Promise.all(begun.map((id) => store.raw.session(id)))).flatMap((row) => row ?? []);
  const known = new Map((await store.describe(rows)).map((one) => [one.id, one]));
  const owners = new Map(rows.map((row) => [row.id as string, row.claim.owner?.host ?? null]));
  return items.map((item) => {
    const summary = known.get(item.id);
    const session = summary && {
      ...{ state: summary.state, attempt: summary.attempt, host: owners.get(item.id) ?? null },
    };
    return { ...item, session: session ?? null };
  });
}

const HAS_SESSION: ReadonlySet<ItemState> = new Set(["taken", "done", "failed"]);

export type CancelledItem =
  | { readonly kind: "cancelled"; readonly item: QueueItem }
  /** It runs: its session was asked to stop, and whoever runs it ends it. */
  | { readonly kind: "stopping"; readonly item: QueueItem };

export async function cancelItem(at: AppPlace, typed: string, reason: string): Promise<CancelledItem> {
  const store = await at.openStore();
  const item = await itemNamed(store, typed);
  if (item.state === "waiting" || item.state === "deferred") {
    if (await cancelWaiting(store.raw, item, reason)) return { kind: "cancelled", item };
    throw changed(await itemNamed(store, item.id));
  }
  if (item.state !== "taken") throw changed(item);
  const row = await store.raw.session(item.id);
  if (!row) throw changed(item);
  // Drained, or left by a worker that died: nobody hears an order, and the next worker would go on with it.
  const stopped = await stopSession(at, store, row, { reason, waitMs: 0 });
  if (stopped.kind === "still-running") return { kind: "stopping", item };
  if (stopped.kind === "stopped" && (await cancelTaken(store.raw, item, reason)))
    return { kind: "cancelled", item };
  throw changed(await itemNamed(store, item.id));
}

const changed = ({ id, state }: QueueItem): RefloatError =>
  new RefloatError("E_ITEM_STATE", { item: id, state, why: "there is nothing left to cancel" });

export type RetriedItem =
  /** It has another id: what was done under the old one stays that session's. */
  | { readonly kind: "added"; readonly item: QueueItem; readonly as: AddedItem }
  /** Its session was suspended, and goes on. */
  | { readonly kind: "lifted"; readonly item: QueueItem };

export async function retryItem(at: AppPlace, typed: string): Promise<RetriedItem> {
  const store = await at.openStore();
  const { raw } = store;
  const item = await itemNamed(store, typed);
  const row = await raw.session(item.id);
  if (item.state === "taken" && suspendedFor(row) !== null) {
    await raw.append(item.id, "anyone", [
      newRecord(raw.clock, "session.lifted", { reason: "its item is tried again" }),
    ]);
    return { kind: "lifted", item };
  }
  if (!RETRYABLE.has(item.state))
    throw new RefloatError("E_ITEM_STATE", { item: item.id, state: item.state, why: "it is not over" });
  const { repository, name, priority, prompt } = item;
  if (prompt === null)
    throw new RefloatError("E_ITEM_STATE", { item: item.id, state: item.state, why: PROMPT_GONE });
  const added = await addItem(raw, {
    ...{ repository, name, priority, prompt, notBeforeMs: null, after: null },
    retries: item.id,
  });
  return { kind: "added", item, as: added };
}

const RETRYABLE: ReadonlySet<ItemState> = new Set(["done", "failed", "cancelled"]);

/** By its id, or a beginning of it; what somebody means is of the store, wherever he stands. */
async function itemNamed(store: RefloatStore, typed: string): Promise<QueueItem> {
  const queues = await queuesOf(store.raw, null);
  await tendQueues(store.raw, queues);
  const look = {
    ...{ waiting: MAX_LISTED, deferred: MAX_LISTED, taken: MAX_LISTED },
    ended: READ_PAGE_ROWS,
  };
  const items = await readItems(store.raw, queues, look);
  const exact = items.find(({ id }) => id === typed);
  if (exact) return exact;
  const begun = isLongEnough(typed) ? items.filter(({ id }) => id.startsWith(typed)) : [];
  const [one, ...others] = begun;
  if (one && others.length === 0) return one;
  if (!one) throw new RefloatError("E_NO_ITEM", { what: typed });
  const matches = begun
    .slice(0, MAX_SHOWN_MATCHES)
    .map(({ id }) => id)
    .join(", ");
  throw new RefloatError("E_AMBIGUOUS", { what: typed, matches });
}

export { MAX_PROMPT_BYTES, PRIORITIES };
