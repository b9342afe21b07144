/**
 * Decisions as four tools wrote them, read into one form; one form is written:
 *   {id, step, key, value, reason, timestamp}
 *
 * | shape | fields |
 * |---|---|
 * | the handbook's | step, key, value, reason |
 * | the JSON Schema's | step, decision, rationale, timestamp |
 * | the validator's | id, step, agent, title, choice, rationale, alternatives, impact, timestamp |
 * | the command line's | decision, timestamp, rationale, step as text |
 *
 * Entries that are there stay as they are: a log is added to, never rewritten.
 */
import type { Json, JsonObject } from "../model/json.ts";
import { listOf, own, textOf } from "./state-doc.ts";
import { dotted } from "./step-list.ts";

export interface Decision {
  readonly id: string | null;
  /** "3.5", whatever way it was written. */
  readonly step: string | null;
  readonly key: string;
  readonly value: Json;
  readonly reason: string | null;
  readonly timestamp: string | null;
}

/** Null: none of the four shapes. */
export function readDecision(entry: Json | undefined): Decision | null {
  const field = (name: string): Json | undefined => own(entry, name);
  const step = field("step");
  const more = {
    id: textOf(field("id")),
    step: typeof step === "number" || typeof step === "string" ? dotted(String(step)) : null,
    reason: textOf(field("reason")) ?? textOf(field("rationale")),
    timestamp: textOf(field("timestamp")),
  };
  const key = textOf(field("key"));
  if (key !== null && field("value") !== undefined) return { ...more, key, value: field("value") ?? null };
  const title = textOf(field("title"));
  if (title !== null && field("choice") !== undefined)
    return { ...more, key: title, value: field("choice") ?? null };
  const decision = textOf(field("decision"));
  if (decision !== null) return { ...more, key: decision, value: decision };
  return null;
}

export const decisionsIn = (doc: unknown): readonly (Decision | null)[] =>
  listOf(own(doc, "decision_log")).map(readDecision);

export interface NewDecision {
  readonly step: string | null;
  readonly key: string;
  readonly value: Json;
  readonly reason: string | null;
  readonly timestamp: string;
}

/** The one form that is written, with the next free number. */
export function writtenDecision(log: readonly Json[], decision: NewDecision): JsonObject {
  const { step, key, value, reason, timestamp } = decision;
  return {
    id: `D${String(nextNumber(log)).padStart(3, "0")}`,
    ...(step === null ? {} : { step: Number(step) }),
    key,
    value,
    ...(reason === null ? {} : { reason }),
    timestamp,
  };
}

function nextNumber(log: readonly Json[]): number {
  const numbers = log.map((entry) => Number(/^D(\d{1,9})$/.exec(textOf(own(entry, "id")) ?? "")?.[1] ?? 0));
  return Math.max(0, log.length, ...numbers) + 1;
}
