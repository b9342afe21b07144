/**
 * What is about to be said of a session, without its secrets (T4): an agent's words, a call's input, a label. Screens are
 * shared, logged by CI and pasted into issues, and `--json` is a response like any other. What the store holds stays as it came, and a
 * file's content is never altered.
 */
import type { Json } from "../model/json.ts";
import { redactJson } from "./redact.ts";

export interface RedactedValue<T> {
  readonly value: T;
  /** How many secrets were taken out. */
  readonly count: number;
}

/** The shape is kept: only strings become others. */
export async function withoutSecrets<T>(value: T, isRaw = false): Promise<RedactedValue<T>> {
  if (isRaw) return { value, count: 0 };
  const redacted = await redactJson(value as unknown as Json);
  return { value: redacted.value as unknown as T, count: redacted.count };
}
