/**
 * Sealing every chunk by the key that seals now: those that lie open, and those that an older key sealed. One by one, each
 * durable before the next, so that a kill leaves every chunk readable by one of the keys, and the next rekey goes on (S6). At
 * the end the store's files, and its bucket, are cleared: what was open before is not left in them.
 */
import { RefloatError } from "../model/errors.ts";
import type { ContentHash } from "../model/ids.ts";
import { READ_PAGE_ROWS } from "../model/limits.ts";
import { crashPoint } from "../platform/crash-point.ts";
import { hashOf } from "./contract/content-hash.ts";
import { seal, sealedBy, unseal } from "./contract/seal.ts";
import type { Store } from "./store.ts";

export interface RekeyResult {
  readonly key: string;
  readonly chunks: number;
  /** Those that were not sealed by it before. */
  readonly resealed: number;
  /** Those that are damaged, and so were left as they are: `store check` tells which (D5). */
  readonly damaged: number;
}

export async function rekeyStore(store: Store): Promise<RekeyResult> {
  const { bare, keys } = store.sealing;
  const [key] = keys;
  if (!key) throw new RefloatError("E_STORE_KEY", { key: "to seal with", why: "was not given" });
  const done = { chunks: 0, resealed: 0, damaged: 0 };
  let after: ContentHash | null = null;
  for (;;) {
    const page = await bare.listChunks(after, READ_PAGE_ROWS);
    for (const hash of page) {
      const stored = await bare.readChunk(hash);
      if (!stored) continue; // forgotten or collected since it was listed
      done.chunks++;
      // Also what has its name already: that the key opens it is what lets the others be thrown away.
      const plain = unseal(keys, hash, stored);
      if (hashOf(plain) !== hash) done.damaged++;
      else if (sealedBy(hash, stored) !== key.id) {
        const bytes = seal(key, hash, plain);
        crashPoint("content.before-row");
        await bare.replaceChunk({ hash, bytes });
        done.resealed++;
      }
    }
    after = page.at(-1) ?? null;
    if (after === null) break;
  }
  await bare.clearFiles();
  return { key: key.id, ...done };
}
