/** Where each chunk was found and how long it is: to give it once, and to prove contents made of several. */
import { createHash } from "node:crypto";
import type { ContentHash } from "../../model/ids.ts";
import { CHUNK_BYTES } from "../../model/limits.ts";
import type { ContentRow } from "../contract/driver.ts";
import { heldBytes, MAX_SEAL_BYTES } from "../contract/seal.ts";
import { readRow, scanLeaf } from "./leaf-scan.ts";
import type { Images } from "./pages/images.ts";

export interface ChunkPlaces {
  /** False when it is already known, or longer than any chunk of ours. */
  note(hash: ContentHash, length: number, imageIndex: number): boolean;
  lengthOf(hash: ContentHash): number | null;
  /** Reads it again; null when it was never noted. */
  read(hash: ContentHash): Uint8Array | null;
}

/** Length and image share one number: 21 bits for up to 1 MiB, 32 for the image, 53 are exact. */
const LENGTH_RANGE = 2 * CHUNK_BYTES;

export function createChunkPlaces(images: Images): ChunkPlaces {
  const places = createHashIndex();
  return {
    note(hash, length, imageIndex) {
      if (length > CHUNK_BYTES + MAX_SEAL_BYTES || places.get(hash) !== undefined) return false;
      places.set(hash, imageIndex * LENGTH_RANGE + length);
      return true;
    },
    lengthOf(hash) {
      const place = places.get(hash);
      return place === undefined ? null : place % LENGTH_RANGE;
    },
    read(hash) {
      const place = places.get(hash);
      return place === undefined ? null : readChunk(images, Math.floor(place / LENGTH_RANGE), hash);
    },
  };
}

function readChunk(images: Images, imageIndex: number, hash: ContentHash): Uint8Array | null {
  const { bytes, whence } = images.at(imageIndex);
  if (bytes === null) return null;
  for (const cell of scanLeaf(bytes).cells) {
    // The hash is the first value: comparing it first spares the chains of the leaf's other chunks.
    const isWanted =
      cell.shape === "chunk" &&
      cell.local.toString("hex", cell.header.bodyAt, cell.header.bodyAt + hash.length / 2) === hash;
    const row = isWanted ? readRow(cell, images.readersFor(whence)) : null;
    if (row?.kind === "chunk") return row.bytes;
  }
  return null;
}

/** A number per content hash, for millions of them: half of each hash as the key, and no engine limit on how many. */
interface HashIndex {
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

/**
 * A content's row has no checksum of its own; its chunks prove it: their bytes, one after another, must have
 * the SHA-256 that names the content, and its length. Reads one chunk at a time.
 */
export function isProvenContent(content: ContentRow, places: ChunkPlaces): boolean {
  let bytes = 0;
  for (const chunk of content.chunks) {
    const length = places.lengthOf(chunk);
    if (length === null) return false;
    bytes += length;
  }
  if (bytes !== content.bytes) return isWholeSealed(content, places);
  // A content of one chunk has that chunk's name, and the chunk was proved when it was found.
  if (content.chunks.length === 1) return content.chunks[0] === content.hash;
  return hashOfChunks(content, places) === content.hash;
}

/** Each chunk proved itself when it was found; that several are the content's only their key could prove. */
function isWholeSealed(content: ContentRow, places: ChunkPlaces): boolean {
  if (content.chunks.length === 1 && content.chunks[0] !== content.hash) return false;
  const held = content.chunks.map((chunk) => {
    const stored = places.read(chunk);
    return stored === null ? Number.NaN : heldBytes(chunk, stored);
  });
  return held.reduce((sum, bytes) => sum + bytes, 0) === content.bytes;
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
