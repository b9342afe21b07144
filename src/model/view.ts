/**
 * The computed view of a conversation (C5): what a person or a model sees, in order. Exporters turn it into
 * a provider's format; nothing here is stored.
 */
import type { Json } from "./json.ts";
import type { Part } from "./parts.ts";
import type { CallEndStatus, Effect } from "./record.ts";

export interface ViewMessage {
  readonly kind: "message";
  readonly seq: number;
  /** The message's id; for a whole message the id of its record. */
  readonly id: string;
  readonly turn: string | null;
  readonly role: "system" | "user" | "assistant";
  readonly parts: readonly Part[];
  /** `open`: still being streamed; `cut-off`: its writer died or gave up while streaming (C3). */
  readonly state: "final" | "open" | "cut-off";
  /** Where it was cut off: what was begun before that was begun while it was being streamed. */
  readonly cutOffSeq?: number;
  /** Merged from `patched` records; later ones win per key. */
  readonly metadata: Readonly<Record<string, Json>>;
  /** A compaction's summary standing in for what it hides. */
  readonly isSummary: boolean;
  readonly isForgotten: boolean;
}

export interface ViewCall {
  readonly kind: "call";
  readonly seq: number;
  readonly id: string;
  readonly turn: string;
  readonly tool: string;
  readonly input: Json;
  readonly effect: Effect;
  readonly metadata: Readonly<Record<string, Json>>;
  readonly result: ViewResult | null;
  readonly isForgotten: boolean;
}

export interface ViewResult {
  readonly seq: number;
  readonly status: CallEndStatus;
  readonly output: Json;
  readonly isSynthetic: boolean;
  readonly isForgotten: boolean;
  /** Nobody saw it end because a person stopped its turn. */
  readonly isStopped?: boolean;
}

/** A view is in journal order: a message where it was begun, a call where it started, its result inside. */
export type ViewItem = ViewMessage | ViewCall;

export interface View {
  readonly audience: "model" | "people";
  readonly items: readonly ViewItem[];
  /** The turn that is open now, if any: an export is then a request to be answered. */
  readonly openTurn: string | null;
  /** Turns of these items that a person stopped (outcome `cancelled`). */
  readonly stoppedTurns?: readonly string[];
  /** How many messages lie before the window and are not in `items`. Null: not counted, but some do. */
  readonly earlier: number | null;
  readonly head: number;
}
