/**
 * Views (C5): what a person or a model sees, computed from the fold, never stored. Superseding hides;
 * metadata may hide an item from one audience (`hidden_from`); nothing is ever removed.
 */
import type { Json } from "../model/json.ts";
import type { View, ViewItem } from "../model/view.ts";
import type { Fold, FoldedItem, FoldedSupersede } from "./fold.ts";

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
