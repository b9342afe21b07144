/**
 * Token counts without a tokenizer: 1 token = 4 UTF-8 bytes (the contract of `handoff --budget`). Every provider counts otherwise;
 * one simple rule that anybody can check beats an exact number for one of them.
 */
import { cutToBytes } from "./cut-to-bytes.ts";

const BYTES_PER_TOKEN = 4;

export function tokensOf(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}

/** The longest beginning of `text` that costs at most `budget` tokens; never half a character. */
export function cutToTokens(text: string, budget: number): string {
  return cutToBytes(text, Math.floor(budget) * BYTES_PER_TOKEN);
}
