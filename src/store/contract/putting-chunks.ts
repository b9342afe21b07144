/** For a driver that treats chunks in its own way: whole contents as chunks, put before the records of their group. */
import type { Chunk, ContentRow, Driver } from "./driver.ts";

/** What a content weighs is what it holds, not what its chunk takes where it lies. An empty one has none. */
export function asChunks(content: Chunk): { readonly chunks: readonly Chunk[]; readonly row: ContentRow } {
  const bytes = content.bytes.byteLength;
  const chunks = bytes === 0 ? [] : [content];
  return { chunks, row: { hash: content.hash, bytes, chunks: chunks.map(({ hash }) => hash) } };
}

/** Contents of a group are put before its records, as the engine itself would (driver 4). */
export function puttingFirst(driver: Driver, putWhole: Driver["putWhole"]): Driver["commit"] {
  return async (group) => {
    for (const change of group) if (change.kind === "put") await putWhole(change.contents, change.nowMs);
    const rest = group.map((change) => (change.kind === "put" ? { ...change, contents: [] } : change));
    return driver.commit(rest);
  };
}
