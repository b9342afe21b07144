/**
 * An id short enough to read and long enough to type: its first eight characters, or as many more as tell
 * it apart from the others on the screen.
 */
import { isWorkflowSession, shortWorkflowId } from "../model/workflow-ids.ts";
import { oneLine } from "./escape.ts";

export const SHORT_CHARS = 8;

export function shortId(id: string, others: readonly string[] = []): string {
  // A state file's steps have its key in common: what tells them apart stands behind it.
  if (isWorkflowSession(id)) return oneLine(shortWorkflowId(id, others));
  const characters = [...id];
  for (let length = SHORT_CHARS; length < characters.length; length++) {
    const beginning = characters.slice(0, length).join("");
    if (others.every((other) => other === id || !other.startsWith(beginning))) return oneLine(beginning);
  }
  return oneLine(id);
}
