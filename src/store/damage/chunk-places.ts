/** Where each chunk was found and how long it is: to give it once, and to prove contents made of several. */
import type { ContentHash } from "../../model/ids.ts";
import { CHUNK_BYTES } from "../../model/limits.ts";
import { createHashIndex } from "./hash-index.ts";
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
      if (length > CHUNK_BYTES || places.get(hash) !== undefined) return false;
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
