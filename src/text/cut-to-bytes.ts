/** How long a text may be: in UTF-8 bytes, and in tokens of four bytes each. */

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

/**
 * Token counts without a tokenizer: 1 token = 4 UTF-8 bytes (the contract of `handoff --budget`). Every provider counts otherwise;
 * one simple rule that anybody can check beats an exact number for one of them.
 */
const BYTES_PER_TOKEN = 4;

export function tokensOf(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}

/** The longest beginning of `text` that costs at most `budget` tokens; never half a character. */
export function cutToTokens(text: string, budget: number): string {
  return cutToBytes(text, Math.floor(budget) * BYTES_PER_TOKEN);
}
