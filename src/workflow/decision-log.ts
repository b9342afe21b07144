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
import { iacToolNamed } from "./definition.ts";
import { isEqual } from "./rewrite-json.ts";
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
  /** It stood in the place of another, which is the one that was decided (kept-log.ts). */
  readonly by_hand?: true;
}

/** Null: none of the four shapes. Read for every entry of every file: without a closure or a copy. */
export function readDecision(entry: Json | undefined): Decision | null {
  const step = own(entry, "step");
  const { key, value } = choiceIn(entry);
  if (key === null) return null;
  return {
    id: textOf(own(entry, "id")),
    step: typeof step === "number" || typeof step === "string" ? dotted(String(step)) : null,
    key,
    value,
    reason: textOf(own(entry, "reason")) ?? textOf(own(entry, "rationale")),
    timestamp: textOf(own(entry, "timestamp")),
    ...(own(entry, "by_hand") === true ? BY_HAND : {}),
  };
}

const BY_HAND = { by_hand: true } as const;
const NO_CHOICE = { key: null, value: null } as const;

function choiceIn(entry: Json | undefined): { readonly key: string | null; readonly value: Json } {
  const key = own(entry, "key");
  const value = own(entry, "value");
  if (typeof key === "string" && value !== undefined) return { key, value };
  const title = own(entry, "title");
  const choice = own(entry, "choice");
  if (typeof title === "string" && choice !== undefined) return { key: title, value: choice };
  const decision = own(entry, "decision");
  return typeof decision === "string" ? { key: decision, value: decision } : NO_CHOICE;
}

/** The handbook's shape has no place for a time (nor an id): an entry of it is whole without one. */
export const hasTime = (entry: Json | undefined): boolean =>
  own(entry, "key") === undefined || own(entry, "id") !== undefined;

export const decisionsIn = (doc: unknown): readonly (Decision | null)[] =>
  listOf(own(doc, "decision_log")).map(readDecision);

/** The key of what is decided about a step: skipped, reset, complete. */
export const stepKey = (step: string): string => `step_${step}`;

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

// Some decisions stand at the top of the file, too. Two places know these; they are never to differ, but for the spelling of a
// tool: the top of the file has only one.

/** What a decision says at the top; nothing, for most. */
export function alsoAtTop(key: string, value: Json | undefined): JsonObject {
  if (typeof value !== "string") return {};
  switch (key) {
    case "iac_tool":
      return { iac_tool: iacToolNamed(value) };
    case "region":
    case "primary_region":
      return { region: value };
    case "branch":
      return { branch: value };
    default:
      return {};
  }
}

/** In the order in which they are asked: a `region` is more than a `primary_region`. */
const KEYS = ["iac_tool", "region", "primary_region", "branch"] as const;

/**
 * What is decided and the top does not say, one field each. `strange`: entries of the log that refloat never wrote here; they may
 * be somebody's, but nothing follows from them (T2).
 */
export function missingAtTop(doc: JsonObject, strange: readonly Json[]): readonly JsonObject[] {
  const fields = KEYS.map((key) => alsoAtTop(key, officialValue(doc, key, strange)));
  return fields.filter((one) => Object.entries(one).some(([name, value]) => value !== "" && !own(doc, name)));
}

/** The last that was logged, and no forged one; what `decisions` says, where nothing was. */
function officialValue(doc: JsonObject, key: string, strange: readonly Json[]): Json | undefined {
  const log = listOf(own(doc, "decision_log")).filter((entry) => readDecision(entry)?.key === key);
  const isWord = (entry: Json): boolean => readDecision(entry)?.by_hand === true || strange.includes(entry);
  const last = log.findLast((entry) => !isWord(entry));
  if (last !== undefined) return readDecision(last)?.value;
  const said = own(own(doc, "decisions"), key);
  return log.some((entry) => isEqual(readDecision(entry)?.value ?? null, said)) ? undefined : said;
}
