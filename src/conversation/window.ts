/**
 * Loading a conversation for its views: all of it up to the window, else the last so many messages, so that
 * resuming a session of 100,000 messages costs what resuming one of 1,000 does.
 */
import type { RecordId, SessionId } from "../model/ids.ts";
import { READ_PAGE_ROWS } from "../model/limits.ts";
import type { StoredRecord } from "../model/record.ts";
import { factId } from "../session/new-record.ts";
import type { Store } from "../store/store.ts";
import { Fold } from "./fold.ts";

/** Records that are, or begin, one message or call of a view. */
const COUNTED = new Set(["message.added", "message.opened", "call.started", "turn.began", "input.taken"]);

export interface Window {
  readonly fold: Fold;
  /** 0: everything is in the fold. Null: records before it were left out. */
  readonly earlier: number | null;
}

export async function loadWindow(
  store: Store,
  session: SessionId,
  head: number,
  messages: number,
): Promise<Window> {
  const newestFirst: StoredRecord[] = [];
  let counted = 0;
  let next = head;
  while (next >= 1 && counted < messages) {
    const page = await store.records({ session, toSeq: next, order: "backward", limit: READ_PAGE_ROWS });
    for (const record of page) {
      if (counted >= messages) break;
      newestFirst.push(record);
      if (COUNTED.has(record.kind)) counted++;
    }
    const last = page.at(-1);
    if (!last) break;
    next = last.seq - 1;
  }
  const records = newestFirst.reverse();
  const fold = new Fold();
  for (const queued of await queuedBefore(store, session, records)) fold.add(queued);
  for (const record of records) fold.add(record);
  fold.head = head;
  return { fold, earlier: (records[0]?.seq ?? head + 1) > 1 ? null : 0 };
}

/** Inputs queued before the window but taken within it: their text lies in the older record. */
async function queuedBefore(
  store: Store,
  session: SessionId,
  records: readonly StoredRecord[],
): Promise<StoredRecord[]> {
  const inside = new Set(records.filter(({ kind }) => kind === "input.queued").map(({ body }) => body.input));
  const found: StoredRecord[] = [];
  for (const record of records) {
    const input = record.kind === "turn.began" || record.kind === "input.taken" ? record.body.input : null;
    if (typeof input !== "string" || inside.has(input)) continue;
    const queued = await store.recordById(session, factId("input", input) as RecordId);
    if (queued) found.push(queued);
  }
  return found;
}
