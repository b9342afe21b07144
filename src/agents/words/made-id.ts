/** An id for what has none in its source: the same whenever it is read again, because it is made of what stands there (D4). */
import { createHash } from "node:crypto";

export const madeId = (...words: readonly string[]): string =>
  `made-${createHash("sha256").update(words.join("\u0000")).digest("hex").slice(0, 24)}`;

/** An id that its agent gave, or one that was made of what was called. */
export const isMade = (id: string): boolean => id.startsWith("made-");
