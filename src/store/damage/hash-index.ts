/** A number per content hash, for millions of them: half of each hash as the key, and no engine limit on how many. */
import type { ContentHash } from "../../model/ids.ts";

export interface HashIndex {
  get(hash: ContentHash): number | undefined;
  set(hash: ContentHash, value: number): void;
}

/** 128 bits: no two of the hashes of any store share them. */
const KEY_BYTES = 16;
/** One Map holds at most 2^24 keys; by their first byte 256 of them hold four billion. */
const SHARDS = 256;

export function createHashIndex(): HashIndex {
  const shards = Array.from({ length: SHARDS }, () => new Map<string, number>());
  return {
    get(hash) {
      const key = keyOf(hash);
      return shards[key.charCodeAt(0)]?.get(key);
    },
    set(hash, value) {
      const key = keyOf(hash);
      shards[key.charCodeAt(0)]?.set(key, value);
    },
  };
}

function keyOf(hash: ContentHash): string {
  return Buffer.from(hash, "hex").toString("latin1", 0, KEY_BYTES);
}
