/**
 * An id short enough to read and long enough to type (T6): its first eight characters, or as many more as tell it apart from the
 * others. Of ours, what is left out was drawn by chance or is a hash: it needs no others. What a program chose is shown whole where
 * no others are known: ids of one program often begin alike.
 */
import { isManualSession, MANUAL_PREFIX } from "../model/ids.ts";
import { isWorkflowSession, shortWorkflowId } from "../model/workflow-ids.ts";
import { oneLine } from "./escape.ts";

export const SHORT_CHARS = 8;

/** Ours, hashes, and random UUIDs: other UUIDs begin with the time, and so alike. */
const BY_CHANCE =
  /^(?:[0-9a-hjkmnp-tv-z]{20}|[0-9a-f]{16,}|[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12})$/;

/** Its beginning alone tells it apart from every other. */
export const isByChance = (id: string): boolean => isManualSession(id) || BY_CHANCE.test(id);

export function shortId(id: string, others: readonly string[] = []): string {
  // A state file's steps have its key in common: what tells them apart stands behind it.
  if (isWorkflowSession(id)) return oneLine(shortWorkflowId(id, others));
  if (others.length === 0 && !isByChance(id)) return oneLine(id);
  const kept = isManualSession(id) ? MANUAL_PREFIX.length : 0;
  const characters = [...id];
  for (let length = kept + SHORT_CHARS; length < characters.length; length++) {
    const beginning = characters.slice(0, length).join("");
    if (others.every((other) => other === id || !other.startsWith(beginning))) return oneLine(beginning);
  }
  return oneLine(id);
}
