/** Deltas run together: readers see one text, not one per flush (C3). */
import { isText, isThinking, type Part } from "../model/parts.ts";

/**
 * Adds a part to those before it. Only what has nothing but its text runs on, so that no field is lost (D5):
 * a signature or an encrypted form ends a stretch of reasoning, what a text is annotated with stays with it.
 */
export function appendPart(parts: Part[], part: Part): void {
  const last = parts.at(-1);
  if (last && isPlain(last) && isPlain(part) && isText(last) && isText(part)) {
    parts[parts.length - 1] = { ...last, text: last.text + part.text };
  } else if (last && isPlain(last) && isThinking(last) && isThinking(part)) {
    parts[parts.length - 1] = { ...last, ...part, text: last.text + part.text };
  } else {
    parts.push(part);
  }
}

/** Its type and its text are all it has. */
const isPlain = (part: Part): boolean => Object.keys(part).length === 2;
