/**
 * Views (C5): what a person or a model sees, computed from the fold, never stored. Superseding hides;
 * metadata may hide an item from one audience (`hidden_from`); nothing is ever removed.
 */
import type { RecordId, SessionId } from "../model/ids.ts";
import type { Json } from "../model/json.ts";
import { READ_PAGE_ROWS } from "../model/limits.ts";
import type { StoredRecord } from "../model/record.ts";
import type { View, ViewItem } from "../model/view.ts";
import { factId } from "../session/new-record.ts";
import type { Store } from "../store/store.ts";
import { Fold, type FoldedItem, type FoldedSupersede } from "./fold.ts";

export type Audience = View["audience"];

export function viewOf(fold: Fold, audience: Audience, earlier: number | null = 0): View {
  const valid = fold.supersedes.filter((supersede) => !isVoid(fold.supersedes, supersede));
  const items: ViewItem[] = [];
  for (const item of fold.items) {
    // A person sees what was rewound or compacted away too; a model sees the line that goes on.
    if (audience === "model" && valid.some((range) => covers(range, item.seq))) continue;
    const metadata = metadataOf(fold, item);
    if (!isHidden(metadata, audience)) items.push(viewItem(item, metadata));
  }
  if (audience === "model") items.push(...summaries(valid));
  items.sort((a, b) => positionOf(a, valid) - positionOf(b, valid));
  const shown = new Set(items.map(({ turn }) => turn));
  const stoppedTurns = [...fold.stoppedTurns].filter((turn) => shown.has(turn));
  return { audience, items, openTurn: fold.openTurn, stoppedTurns, earlier, head: fold.head };
}

function viewItem(item: FoldedItem, metadata: Record<string, Json>): ViewItem {
  if (item.kind === "call") {
    const { recordId: _recordId, ...call } = item;
    return { ...call, metadata };
  }
  const { recordId: _recordId, ...message } = item;
  return { ...message, parts: [...message.parts], metadata, isSummary: false };
}

/** A rewind or retry that reaches back before a superseding undoes it: what that one hid is there again. */
function isVoid(all: readonly FoldedSupersede[], one: FoldedSupersede): boolean {
  return all.some(
    (later) =>
      later.seq > one.seq && later.reason !== "compaction" && covers(later, one.seq) && !isVoid(all, later),
  );
}

const covers = (range: FoldedSupersede, seq: number): boolean => seq >= range.fromSeq && seq <= range.toSeq;

/** Each compaction's summary, unless a later superseding covers the place it stands at. */
function summaries(valid: readonly FoldedSupersede[]): ViewItem[] {
  const found: ViewItem[] = [];
  for (const one of valid) {
    if (!one.summary || valid.some((later) => later.seq > one.seq && covers(later, one.fromSeq))) continue;
    found.push({
      kind: "message",
      seq: one.seq,
      id: one.recordId,
      turn: null,
      role: "user",
      parts: one.summary,
      state: "final",
      metadata: {},
      isSummary: true,
      isForgotten: false,
    });
  }
  return found;
}

/** Items stand where they began; a summary stands where the part it replaces began. */
function positionOf(item: ViewItem, supersedes: readonly FoldedSupersede[]): number {
  if (item.kind === "call" || !item.isSummary) return item.seq;
  return supersedes.find((one) => one.seq === item.seq)?.fromSeq ?? item.seq;
}

function metadataOf(fold: Fold, item: FoldedItem): Record<string, Json> {
  return {
    ...fold.metadata.get(item.recordId),
    ...(item.id === item.recordId ? {} : fold.metadata.get(item.id)),
  };
}

function isHidden(metadata: Record<string, Json>, audience: Audience): boolean {
  const from = metadata.hidden_from;
  return from === audience || (Array.isArray(from) && from.includes(audience));
}

// Loading a conversation for its views: all of it up to the window, else the last so many messages, so that
// resuming a session of 100,000 messages costs what resuming one of 1,000 does.

/** Records that are, or begin, one message or call of a view. */
const COUNTED = new Set([
  "message.added",
  "message.opened",
  "delivery.asked",
  "call.started",
  "turn.began",
  "input.taken",
]);

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
