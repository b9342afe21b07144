/**
 * A content's row has no checksum of its own; its chunks prove it: their bytes, one after another, must have
 * the SHA-256 that names the content, and its length. Reads one chunk at a time.
 */
import { createHash } from "node:crypto";
import type { ContentRow } from "../contract/driver.ts";
import type { ChunkPlaces } from "./chunk-places.ts";

export function isProvenContent(content: ContentRow, places: ChunkPlaces): boolean {
  let bytes = 0;
  for (const chunk of content.chunks) {
    const length = places.lengthOf(chunk);
    if (length === null) return false;
    bytes += length;
  }
  if (bytes !== content.bytes) return false;
  // A content of one chunk has that chunk's name, and the chunk was proved when it was found.
  if (content.chunks.length === 1) return content.chunks[0] === content.hash;
  return hashOfChunks(content, places) === content.hash;
}

function hashOfChunks(content: ContentRow, places: ChunkPlaces): string | null {
  const whole = createHash("sha256");
  for (const chunk of content.chunks) {
    const bytes = places.read(chunk);
    if (bytes === null) return null;
    whole.update(bytes);
  }
  return whole.digest("hex");
}
