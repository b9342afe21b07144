/**
 * Contents: bytes addressed by their SHA-256, cut into chunks of at most 1 MiB, each chunk stored once
 * however many contents it is part of. Chunks go in by short transactions; the content's row comes last, so
 * a content that is there is whole.
 */
import { createHash } from "node:crypto";
import { RefloatError } from "../model/errors.ts";
import type { ContentHash } from "../model/ids.ts";
import { CHUNK_BYTES, MAX_CONTENT_BYTES } from "../model/limits.ts";
import type { Clock } from "../platform/clock.ts";
import { hashOf } from "./contract/content-hash.ts";
import type { Chunk, Driver } from "./contract/driver.ts";

export interface StoredContent {
  readonly hash: ContentHash;
  readonly bytes: number;
}

export async function putContent(
  driver: Driver,
  clock: Clock,
  source: Uint8Array | AsyncIterable<Uint8Array>,
): Promise<StoredContent> {
  const whole = createHash("sha256");
  const hashes: ContentHash[] = [];
  let bytes = 0;
  let last: Chunk | null = null;
  for await (const piece of chunked(source)) {
    bytes += piece.byteLength;
    if (bytes > MAX_CONTENT_BYTES)
      throw new RefloatError("E_TOO_LARGE", { what: "The content", bytes, limit: MAX_CONTENT_BYTES });
    whole.update(piece);
    if (last) await putChunk(driver, clock, last);
    last = { hash: hashOf(piece), bytes: piece };
    hashes.push(last.hash);
  }
  const content = { hash: whole.digest("hex") as ContentHash, bytes, chunks: hashes };
  // The last chunk and the content's row share a transaction: a small content costs one sync.
  await driver.putChunks(last ? [last] : [], content, clock.nowMs());
  return { hash: content.hash, bytes };
}

/** Every chunk is verified on the way out: damaged bytes are an error, never handed over. */
export async function* readContent(driver: Driver, hash: ContentHash): AsyncGenerator<Uint8Array> {
  const content = await driver.readContent(hash);
  if (!content) throw new RefloatError("E_NO_CONTENT", { hash });
  for (const chunkHash of content.chunks) {
    const bytes = await driver.readChunk(chunkHash);
    if (!bytes) throw new RefloatError("E_NO_CONTENT", { hash: chunkHash });
    if (hashOf(bytes) !== chunkHash) {
      throw new RefloatError("E_STORE_DAMAGED", {
        path: "the contents",
        why: `chunk ${chunkHash} does not match its hash`,
      });
    }
    yield bytes;
  }
}

export async function readWholeContent(driver: Driver, hash: ContentHash): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of readContent(driver, hash)) pieces.push(piece);
  return Buffer.concat(pieces);
}

async function putChunk(driver: Driver, clock: Clock, chunk: Chunk): Promise<void> {
  await driver.putChunks([chunk], null, clock.nowMs());
}

/** Cuts any stream into chunks of exactly CHUNK_BYTES but for the last, so that equal bytes give equal chunks. */
async function* chunked(source: Uint8Array | AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (source instanceof Uint8Array) {
    for (let at = 0; at < source.byteLength; at += CHUNK_BYTES) yield source.subarray(at, at + CHUNK_BYTES);
    return;
  }
  let pending: Uint8Array[] = [];
  let size = 0;
  for await (const piece of source) {
    pending.push(piece);
    size += piece.byteLength;
    if (size < CHUNK_BYTES) continue;
    const joined = Buffer.concat(pending);
    const whole = joined.byteLength - (joined.byteLength % CHUNK_BYTES);
    for (let at = 0; at < whole; at += CHUNK_BYTES) yield joined.subarray(at, at + CHUNK_BYTES);
    pending = [joined.subarray(whole)];
    size = joined.byteLength - whole;
  }
  if (size > 0) yield Buffer.concat(pending);
}
