/** What was said in a session: as people or the model see it, as a provider wants it, or record by record as it goes on. */

import { closeLeftOpen } from "../../conversation/close-left-open.ts";
import { type ExportFormat, exportAs } from "../../conversation/export/export-as.ts";
import { CLOSED_BY_RECOVERY, openThings } from "../../conversation/open-things.ts";
import { type Audience, loadWindow, viewOf, type Window } from "../../conversation/view.ts";
import { RefloatError } from "../../model/errors.ts";
import { DEFAULT_WINDOW_MESSAGES } from "../../model/limits.ts";
import type { StoredRecord } from "../../model/record.ts";
import type { View } from "../../model/view.ts";
import { type BeforeImages, beforeImages } from "../../salvage/story/before-images.ts";
import { describeSession } from "../../session/describe.ts";
import { NO_DIRTY_ENDS } from "../../session/escalation.ts";
import { isWorkBegun } from "../../session/last-attempt.ts";
import type { SessionState } from "../../session/state.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import { type RedactedValue, withoutSecrets } from "../../text/without-secrets.ts";
import type { AppPlace } from "../place/app-place.ts";
import type { RefloatStore } from "../store/open-store.ts";
import { findSession } from "./find-session.ts";

export interface LogOrder {
  /** As it was typed; null: left out. */
  readonly session: string | null;
  /** The newest messages, so many; null: as many as a session keeps. */
  readonly last: number | null;
  /** Secrets are left in (T4). */
  readonly isRaw: boolean;
}

export interface ConversationLog {
  readonly session: SessionRow["id"];
  readonly state: SessionState;
  readonly view: View;
  readonly turns: Window["fold"]["turns"];
  /** What is held of the tree as it was before calls, by their ids. */
  readonly before: BeforeImages;
  /** How many secrets were taken out. */
  readonly redacted: number;
}

export async function conversationLog(
  at: AppPlace,
  order: LogOrder,
  audience: Audience,
): Promise<ConversationLog> {
  const { store, row, state, window } = await windowOf(at, order);
  const before = await beforeImages(store.raw, row);
  const whole = viewOf(window.fold, audience, window.earlier);
  const { value: items, count: redacted } = await withoutSecrets(whole.items, order.isRaw);
  return { session: row.id, state, view: { ...whole, items }, turns: window.fold.turns, before, redacted };
}

export interface ExportedLog extends RedactedValue<unknown> {
  readonly session: SessionRow["id"];
}

/** The model's view as a provider's messages. */
export async function exportLog(at: AppPlace, order: LogOrder, format: ExportFormat): Promise<ExportedLog> {
  const { store, row, state, window } = await windowOf(at, order);
  if (state !== "live") await closeInMemory(store, row, window);
  const whole = exportAs(format, viewOf(window.fold, "model", window.earlier));
  return { session: row.id, ...(await withoutSecrets(whole, order.isRaw)) };
}

async function windowOf(
  at: AppPlace,
  { session, last }: LogOrder,
): Promise<{ store: RefloatStore; row: SessionRow; state: SessionState; window: Window }> {
  const { store, row } = await findSession(at, session);
  const window = await loadWindow(store.raw, row.id, row.head, last ?? DEFAULT_WINDOW_MESSAGES);
  const { state } = await describeSession(store.raw, row);
  return { store, row, state, window };
}

/**
 * What the next owner's recovery would write, without writing it: an export of a session whose owner is gone
 * says of an open call that its outcome is unknown, never that it still runs (C4, T1).
 */
async function closeInMemory({ raw }: RefloatStore, row: SessionRow, { fold }: Window): Promise<void> {
  const things = await openThings(raw, row.id, {
    open: await raw.open(row.id, { what: CLOSED_BY_RECOVERY }),
  });
  const { records } = closeLeftOpen(raw.clock, things, { ...NO_DIRTY_ENDS, cause: "unknown" });
  records.forEach((record, i) => {
    const seq = row.head + 1 + i;
    fold.add({ ...record, session: row.id, seq, attempt: null, isForgotten: false, isDamaged: false });
  });
}

export interface FollowOrder extends LogOrder {
  /** The first record that is given; null: the first of the `last` messages, and where that is null, too, the first of all. */
  readonly fromSeq: number | null;
  /** Ends it; the store is closed then, so that whoever waits in it is woken at once. */
  readonly stop: AbortSignal;
}

export interface FollowedRecord {
  readonly record: StoredRecord;
  readonly isRedacted: boolean;
  /** Of a claim that was taken: somebody began to work by it. Recovering and breaking take it, too, and nobody tried again. */
  readonly isTry: boolean;
}

export interface FollowedSession {
  /** There each message is a claim, and none of them a try. */
  readonly isOfGateway: boolean;
  readonly records: AsyncGenerator<FollowedRecord>;
}

/** Records as they are written (C3), each without its secrets (T4). */
export async function followLog(at: AppPlace, order: FollowOrder): Promise<FollowedSession> {
  const { store, row } = await findSession(at, order.session);
  const fromSeq = order.fromSeq ?? (await firstOfLast(store, row, order.last));
  const isOfGateway = typeof row.facts.gateway === "string";
  return { isOfGateway, records: followed(store, row, { ...order, fromSeq }) };
}

async function firstOfLast({ raw }: RefloatStore, row: SessionRow, last: number | null): Promise<number> {
  if (last === null) return 1;
  const { fold, earlier } = await loadWindow(raw, row.id, row.head, last);
  return earlier === 0 ? 1 : (fold.items[0]?.seq ?? 1);
}

async function* followed(
  store: RefloatStore,
  { id }: SessionRow,
  { fromSeq, stop, isRaw }: FollowOrder & { readonly fromSeq: number },
): AsyncGenerator<FollowedRecord> {
  if (stop.aborted) return;
  // A store that could not be closed is closed, and said to be, by whoever opened it.
  stop.addEventListener("abort", () => void store.close().catch(() => undefined), { once: true });
  try {
    for await (const record of store.follow(id, fromSeq, stop)) {
      const { value: body, count } = await withoutSecrets(record.body, isRaw);
      yield { record: { ...record, body }, isRedacted: count > 0, isTry: isWorkBegun(record) };
    }
  } catch (thrown) {
    // The store was closed under the reader because the end was asked for.
    const isStopped = stop.aborted && thrown instanceof RefloatError && thrown.code === "E_CLOSED";
    if (!isStopped) throw thrown;
  }
}
