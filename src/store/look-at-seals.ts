/** Whether contents are sealed, and by keys that open them: from a few of them, because reading all takes as long as the store is large. */
import { RefloatError } from "../model/errors.ts";
import { sealedBy, unseal } from "./contract/seal.ts";
import type { Store } from "./store.ts";

/** 1 MiB each at most. The first by their hash: no order of size, time or kind. */
const LOOKED_AT = 24;

export interface SeenSeals {
  /** The key that seals now; null: none was given. */
  readonly key: string | null;
  readonly looked: number;
  readonly open: number;
  /** Sealed by another of the keys. */
  readonly older: number;
  /** None of the keys opens them. */
  readonly locked: number;
  /** Of the last that is locked. */
  readonly why: string;
}

export async function lookAtSeals({ sealing: { bare, keys } }: Store): Promise<SeenSeals> {
  const key = keys[0]?.id ?? null;
  const seen = { key, looked: 0, open: 0, older: 0, locked: 0, why: "" };
  for (const hash of await bare.listChunks(null, LOOKED_AT)) {
    const stored = await bare.readChunk(hash);
    if (!stored) continue;
    seen.looked++;
    const by = sealedBy(hash, stored);
    try {
      unseal(keys, hash, stored);
      if (by === null) seen.open++;
      else if (by !== key) seen.older++;
    } catch (thrown) {
      if (!(thrown instanceof RefloatError && thrown.code === "E_STORE_KEY")) throw thrown;
      seen.locked++;
      seen.why = thrown.message;
    }
  }
  return seen;
}
