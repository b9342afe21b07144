/** Reading and changing a state document as plain JSON: unknown fields stay, nothing is changed in place. */
import { isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import { ON_DEMAND, STATUSES, type StepStatus } from "./definition.ts";
import { keysOf, type StepSpec, type WorkflowShape } from "./step-list.ts";

/**
 * An own field; what an object merely inherits is not in the file. What a JSON object inherits are functions, which no
 * JSON value is, and `__proto__`: only there is asked whose it is, for this is called a hundred times for each file.
 */
export function own(object: unknown, key: string): Json | undefined {
  if (!isJsonObject(object)) return undefined;
  const value: unknown = object[key];
  const mayBeInherited = typeof value === "function" || key === "__proto__";
  return mayBeInherited && !Object.hasOwn(object, key) ? undefined : (value as Json | undefined);
}

export const textOf = (value: unknown): string | null => (typeof value === "string" ? value : null);
export const objectOf = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});
export const listOf = (value: unknown): readonly Json[] => (Array.isArray(value) ? (value as Json[]) : []);
export const textsOf = (value: unknown): readonly string[] =>
  listOf(value).filter((item): item is string => typeof item === "string");

/** A copy with these fields set. */
export const withFields = (object: JsonObject, fields: JsonObject): JsonObject => ({ ...object, ...fields });

export function withoutKeys(object: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));
}

export interface StepView {
  readonly spec: StepSpec;
  /** As this file spells it. */
  readonly key: string;
  readonly body: JsonObject;
  readonly status: StepStatus | null;
  readonly isThere: boolean;
}

const NOTHING: JsonObject = {};

/** Every step of the list as the file has it, in order. */
export function stepsIn(doc: unknown, shape: WorkflowShape): readonly StepView[] {
  const steps = own(doc, "steps");
  return shape.steps.map((spec) => {
    let key: string | undefined;
    let body: JsonObject = NOTHING;
    for (const one of keysOf(spec)) {
      const inner = own(steps, one);
      if (key !== undefined || !isJsonObject(inner)) continue;
      key = one;
      body = inner;
    }
    const status = own(body, "status");
    return {
      spec,
      key: key ?? spec.id,
      body,
      status: STATUSES.find((one) => one === status) ?? null,
      isThere: key !== undefined,
    };
  });
}

export function withStep(doc: JsonObject, key: string, body: JsonObject): JsonObject {
  return withFields(doc, { steps: withFields(objectOf(own(doc, "steps")), { [key]: body }) });
}

const RANK: Readonly<Record<StepStatus, number>> = { pending: 0, in_progress: 1, skipped: 2, complete: 2 };

/** Of two statuses the one that is further; null: neither is, or one of them is none. */
export function furtherStatus(a: unknown, b: unknown): StepStatus | null {
  const [one, other] = [a, b].map((value) => STATUSES.find((status) => status === value) ?? null);
  if (!one || !other) return null;
  if (one === other) return one;
  return RANK[one] === RANK[other] ? null : RANK[one] > RANK[other] ? one : other;
}

export const isFinished = (status: StepStatus | null): boolean =>
  status === "complete" || status === "skipped";

/** Milliseconds, or null for what is no date (an empty one in the template among them). */
export function timeOf(value: unknown): number | null {
  const text = textOf(value);
  const ms = text === null || text === "" ? Number.NaN : Date.parse(text);
  return Number.isNaN(ms) ? null : ms;
}

/** As the files write it: to the second, in UTC. */
export const stamp = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;

/** The files a step loaded: what it read at its start is what its budget limits; what it read later, as it needed it, is not. */
export function filesAtStart(body: unknown): readonly string[] {
  const used = textsOf(own(body, "context_files_used"));
  const later = textsOf(own(body, ON_DEMAND));
  return later.length === 0 ? used : used.filter((path) => !later.includes(path));
}
