/** A driver whose contents are sealed on their way in and opened on their way out; without a key it only says what it cannot open. */
import type { Driver } from "./contract/driver.ts";
import { layeredDriver } from "./contract/layered-driver.ts";
import { asChunks, puttingFirst } from "./contract/putting-chunks.ts";
import { type SealingKey, seal, unseal } from "./contract/seal.ts";

export function sealedDriver(driver: Driver, keys: readonly SealingKey[]): Driver {
  const readChunk: Driver["readChunk"] = async (hash) => {
    const stored = await driver.readChunk(hash);
    return stored && unseal(keys, hash, stored);
  };
  const [key] = keys;
  if (!key) return layeredDriver(driver, { readChunk });
  const putChunks: Driver["putChunks"] = (chunks, content, nowMs) => {
    const sealed = chunks.map(({ hash, bytes }) => ({ hash, bytes: seal(key, hash, bytes) }));
    return driver.putChunks(sealed, content, nowMs);
  };
  const putWhole: Driver["putWhole"] = async (contents, nowMs) => {
    for (const { chunks, row } of contents.map(asChunks)) await putChunks(chunks, row, nowMs);
  };
  return layeredDriver(driver, { readChunk, putChunks, putWhole, commit: puttingFirst(driver, putWhole) });
}
