/**
 * The longest beginning of a text that fits into so many UTF-8 bytes, never half a character (T5).
 * A lone surrogate counts 3 bytes: it is written as U+FFFD wherever text leaves the process.
 */
export function cutToBytes(text: string, maxBytes: number): string {
  const budget = Number.isNaN(maxBytes) ? 0 : Math.max(0, Math.floor(maxBytes));
  // No UTF-16 unit needs more than 3 bytes, so short text needs no measuring.
  if (text.length * 3 <= budget) return text;
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(Math.min(budget, text.length * 3)));
  return text.slice(0, read);
}
