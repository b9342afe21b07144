/**
 * Texts with their keys, one after the other in a file: lengths of key and text (4 bytes each), a checksum over build, key and
 * text (16), key, text. How they are kept is kept-texts.ts.
 */
import { createHash } from "node:crypto";
import { readSync } from "node:fs";

const LENGTHS = 8;
const CHECKSUM = 16;
const HEAD = LENGTHS + CHECKSUM;

/** Entries are written, and looked for, in pieces of this size: one by one, most of the time would be the system's. */
export const PIECE_BYTES = 1024 * 1024;

export interface EntryPlace {
  readonly at: number;
  readonly keyBytes: number;
  readonly textBytes: number;
}

export const entryBytes = ({ keyBytes, textBytes }: Omit<EntryPlace, "at">): number =>
  HEAD + keyBytes + textBytes;

export const sizesOf = (key: string, text: string): Omit<EntryPlace, "at"> => ({
  keyBytes: Buffer.byteLength(key),
  textBytes: Buffer.byteLength(text),
});

export function putEntry(
  build: string,
  into: Buffer,
  { at, ...sizes }: EntryPlace,
  key: string,
  text: string,
): void {
  const entry = into.subarray(at, at + entryBytes(sizes));
  entry.writeUInt32LE(sizes.keyBytes, 0);
  entry.writeUInt32LE(sizes.textBytes, 4);
  entry.write(key, HEAD);
  entry.write(text, HEAD + sizes.keyBytes);
  checksum(build, sizes.keyBytes, entry.subarray(HEAD)).copy(entry, LENGTHS);
}

/** The text of an entry that is certainly whole and this build's; else null. */
export function textOf(build: string, entry: Buffer, key: string): string | null {
  if (!isSound(build, entry)) return null;
  const from = HEAD + entry.readUInt32LE(0);
  return entry.toString("utf8", HEAD, from) === key ? entry.toString("utf8", from) : null;
}

/** One entry, all of it. */
export function isSound(build: string, entry: Buffer): boolean {
  if (entry.length < HEAD) return false;
  const [keyBytes, textBytes] = [entry.readUInt32LE(0), entry.readUInt32LE(4)];
  if (entry.length !== entryBytes({ keyBytes, textBytes })) return false;
  return checksum(build, keyBytes, entry.subarray(HEAD)).equals(entry.subarray(LENGTHS, HEAD));
}

const checksum = (build: string, keyBytes: number, keyAndText: Buffer): Buffer =>
  createHash("sha256").update(`${build} ${keyBytes} `).update(keyAndText).digest().subarray(0, CHECKSUM);

export interface FoundEntries {
  readonly places: Map<string, EntryPlace>;
  /** Every byte up to the end belongs to an entry. */
  readonly isWhole: boolean;
}

/** Where each entry is, by its lengths alone; a later one of the same key counts. Ends where they lead out of the file. */
export function findEntries(fd: number, from: number, size: number): FoundEntries {
  const places = new Map<string, EntryPlace>();
  const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, Math.max(size - from, 0)));
  let at = from;
  for (;;) {
    const read = readSync(fd, piece, 0, piece.length, at);
    const next = at + placesIn(piece.subarray(0, read), at, size, places);
    if (next === at) return { places, isWhole: at === size };
    at = next;
  }
}

/** How far the entries go whose keys are in the piece: the text of the last may end behind it. */
function placesIn(piece: Buffer, at: number, size: number, places: Map<string, EntryPlace>): number {
  let used = 0;
  while (used + HEAD <= piece.length) {
    const sizes = { keyBytes: piece.readUInt32LE(used), textBytes: piece.readUInt32LE(used + 4) };
    const keyEnd = used + HEAD + sizes.keyBytes;
    if (keyEnd > piece.length || at + used + entryBytes(sizes) > size) break;
    places.set(piece.toString("utf8", used + HEAD, keyEnd), { at: at + used, ...sizes });
    used += entryBytes(sizes);
  }
  return used;
}
