/**
 * A file of texts by key behind one line that says what made it, and where in it they are. How long they are kept
 * is kept-texts.ts.
 */
import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readSync, renameSync, rmSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { errnoOf } from "./io-error.ts";
import { randomId } from "./random.ts";

/**
 * Texts with their keys, one after the other in a file: lengths of key and text (4 bytes each), a checksum over build, key and
 * text (16), key, text.
 */
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

interface FoundEntries {
  readonly places: Map<string, EntryPlace>;
  /** Every byte up to the end belongs to an entry. */
  readonly isWhole: boolean;
}

/** Where each entry is, by its lengths alone; a later one of the same key counts. Ends where they lead out of the file. */
function findEntries(fd: number, from: number, size: number): FoundEntries {
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

/** By a handle of our own: where another puts a new file in its place, this one stays as it is. */
export interface TextFile {
  readonly fd: number;
  readonly places: Map<string, EntryPlace>;
  size: number;
  /** False: something in it is no entry, or not a sound one. */
  isWhole: boolean;
}

/** Null: there is none that begins with `head`, is a file, not too long, and may be read and added to. */
export function openTextFile(path: string, head: Buffer, maxBytes: number): TextFile | null {
  try {
    const fd = openSync(path, constants.O_RDWR | constants.O_APPEND | constants.O_NOFOLLOW);
    try {
      const stat = fstatSync(fd);
      const isOurs = stat.isFile() && stat.size <= maxBytes && bytesAt(fd, 0, head.length).equals(head);
      if (isOurs) return { fd, size: stat.size, ...findEntries(fd, head.length, stat.size) };
    } catch (thrown) {
      closeSync(fd);
      throw thrown;
    }
    closeSync(fd);
    return null;
  } catch (thrown) {
    // Not there, or not to be used: as good as empty.
    if (errnoOf(thrown) === null) throw thrown;
    return null;
  }
}

export const entryAt = ({ fd }: TextFile, place: EntryPlace): Buffer =>
  bytesAt(fd, place.at, entryBytes(place));

/** Fewer where the file ends before. */
function bytesAt(fd: number, at: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  return bytes.subarray(0, readSync(fd, bytes, 0, length, at));
}

/** A full disk takes a part of it: then this throws, and the file is not whole. */
export function appendPiece(file: TextFile, piece: Buffer, places: ReadonlyMap<string, EntryPlace>): void {
  file.isWhole = false;
  writeAll(file.fd, piece);
  file.isWhole = true;
  file.size = fstatSync(file.fd).size;
  // Where another added at the same moment this leads elsewhere, and what is there is not sound, or not of the key.
  const from = file.size - piece.length;
  for (const [key, { at, ...sizes }] of places) file.places.set(key, { at: from + at, ...sizes });
}

/** In the place of whatever is there, and only whole. */
export function makeTextFile(
  path: string,
  head: Buffer,
  entries: Iterable<readonly [string, Buffer, EntryPlace]>,
): TextFile {
  const temporary = join(dirname(path), `.tmp-${randomId()}`);
  const { O_RDWR, O_APPEND, O_CREAT, O_EXCL } = constants;
  const fd = openSync(temporary, O_RDWR | O_APPEND | O_CREAT | O_EXCL, 0o600);
  try {
    const file: TextFile = { fd, size: head.length, places: new Map(), isWhole: true };
    writeAll(fd, head);
    for (const [key, entry, place] of entries) {
      writeAll(fd, entry);
      file.places.set(key, { ...place, at: file.size });
      file.size += entry.length;
    }
    renameSync(temporary, path);
    return file;
  } catch (thrown) {
    closeSync(fd);
    rmSync(temporary, { force: true });
    throw thrown;
  }
}

function writeAll(fd: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
}
