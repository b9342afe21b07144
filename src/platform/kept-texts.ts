/**
 * Texts by key, kept in one file between processes, where losing them costs only the time to make them again. So nothing
 * is synced, and whatever is not certainly whole is not there:
 *
 *  T-1  Each entry carries a checksum over build, key and text, checked when it is handed out.
 *  T-2  A file made by another build, cut off, overwritten or too long is not read beyond what can be told; the next save makes
 *       it anew.
 *  T-3  Two processes at once lose at most each other's new entries: whole entries are added by one write, a new file by rename.
 *
 * A line names format and build, then entries follow: lengths of key and text (4 bytes each), checksum (16), key, text.
 */
import { createHash } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writevSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { errnoOf } from "./io-error.ts";
import { randomId } from "./random.ts";

export interface KeptTexts {
  get(key: string): string | undefined;
  set(key: string, text: string): void;
  /** Puts what is new on disk; a disk that will not take it changes nothing. */
  save(): void;
}

export interface KeptOptions {
  /** What made the texts: those of another are not believed. */
  readonly build: string;
  /** The file is never longer; what was asked for last stays. */
  readonly maxBytes: number;
}

const FORMAT = "refloat texts 1";
const LENGTHS = 8;
const CHECKSUM = 16;

interface Place {
  readonly at: number;
  readonly keyBytes: number;
  readonly textBytes: number;
}

export function openKeptTexts(path: string, { build, maxBytes }: KeptOptions): KeptTexts {
  const head = Buffer.from(`${FORMAT} ${build}\n`);
  const found = readWhole(path, maxBytes);
  // Another build's is not worth its memory.
  const bytes = found?.subarray(0, head.length).equals(head) ? found : null;
  const { places, isWhole } = bytes
    ? indexOf(bytes, head)
    : { places: new Map<string, Place>(), isWhole: false };
  const fresh = new Map<string, Buffer>();
  const add = entryMaker(build);
  const used = new Set<string>();
  let isDamaged = !isWhole;
  return {
    get(key) {
      const own = fresh.get(key);
      if (own) return textIn(own, 0, own.readUInt32LE(0), own.readUInt32LE(4));
      const place = places.get(key);
      if (!bytes || !place) return undefined;
      if (!isSound(build, bytes, place)) {
        places.delete(key);
        isDamaged = true;
        return undefined;
      }
      used.add(key);
      return textIn(bytes, place.at, place.keyBytes, place.textBytes);
    },
    set: (key, text) => {
      fresh.set(key, add(key, text));
    },
    save() {
      if (fresh.size === 0 && !(isDamaged && places.size > 0)) return;
      const added = [...fresh.values()];
      const size = added.reduce((sum, one) => sum + one.length, bytes?.length ?? 0);
      const isNew = isDamaged || size > maxBytes;
      const pieces = isNew
        ? [head, ...kept({ build, bytes, places, used, added, room: maxBytes - head.length })]
        : added;
      write(path, pieces, isNew);
      fresh.clear();
    },
  };
}

const textIn = (bytes: Buffer, at: number, keyBytes: number, textBytes: number): string => {
  const from = at + LENGTHS + CHECKSUM + keyBytes;
  return bytes.toString("utf8", from, from + textBytes);
};

/** New entries lie one after the other in pieces of memory of this size: one by one, most of it would be waste. */
const PIECE_BYTES = 1024 * 1024;

function entryMaker(build: string): (key: string, text: string) => Buffer {
  let piece = Buffer.alloc(0);
  let used = 0;
  return (key, text) => {
    const [keyBytes, textBytes] = [Buffer.byteLength(key), Buffer.byteLength(text)];
    const size = LENGTHS + CHECKSUM + keyBytes + textBytes;
    if (piece.length - used < size) [piece, used] = [Buffer.allocUnsafeSlow(Math.max(size, PIECE_BYTES)), 0];
    const entry = piece.subarray(used, used + size);
    used += size;
    entry.writeUInt32LE(keyBytes, 0);
    entry.writeUInt32LE(textBytes, 4);
    entry.write(key, LENGTHS + CHECKSUM);
    entry.write(text, LENGTHS + CHECKSUM + keyBytes);
    checksum(build, keyBytes, entry.subarray(LENGTHS + CHECKSUM)).copy(entry, LENGTHS);
    return entry;
  };
}

const checksum = (build: string, keyBytes: number, keyAndText: Buffer): Buffer =>
  createHash("sha256").update(`${build} ${keyBytes} `).update(keyAndText).digest().subarray(0, CHECKSUM);

function isSound(build: string, bytes: Buffer, { at, keyBytes, textBytes }: Place): boolean {
  const from = at + LENGTHS + CHECKSUM;
  const keyAndText = bytes.subarray(from, from + keyBytes + textBytes);
  return checksum(build, keyBytes, keyAndText).equals(bytes.subarray(at + LENGTHS, from));
}

/** Where each entry is; a later one of the same key counts. Ends where lengths lead out of the file (T-2). */
function indexOf(bytes: Buffer, head: Buffer): { places: Map<string, Place>; isWhole: boolean } {
  const places = new Map<string, Place>();
  let at = head.length;
  while (at + LENGTHS + CHECKSUM <= bytes.length) {
    const [keyBytes, textBytes] = [bytes.readUInt32LE(at), bytes.readUInt32LE(at + 4)];
    const from = at + LENGTHS + CHECKSUM;
    const end = from + keyBytes + textBytes;
    if (end > bytes.length) break;
    places.set(bytes.toString("utf8", from, from + keyBytes), { at, keyBytes, textBytes });
    at = end;
  }
  return { places, isWhole: at === bytes.length };
}

interface Keeping {
  readonly build: string;
  readonly bytes: Buffer | null;
  readonly places: ReadonlyMap<string, Place>;
  readonly used: ReadonlySet<string>;
  readonly added: readonly Buffer[];
  readonly room: number;
}

/** New ones, then those that were asked for, then the newest others, while they fit into half: the next saves only add. */
function kept({ build, bytes, places, used, added, room }: Keeping): Buffer[] {
  const others = [...places].reverse();
  const old = [...others.filter(([key]) => used.has(key)), ...others.filter(([key]) => !used.has(key))];
  const pieces: Buffer[] = [];
  let left = room;
  const take = (piece: Buffer, least: number): void => {
    if (left - piece.length < least) return;
    left -= piece.length;
    pieces.push(piece);
  };
  for (const piece of added) take(piece, 0);
  for (const [, place] of bytes ? old : []) {
    const end = place.at + LENGTHS + CHECKSUM + place.keyBytes + place.textBytes;
    if (bytes && isSound(build, bytes, place)) take(bytes.subarray(place.at, end), room / 2);
  }
  return pieces;
}

function readWhole(path: string, maxBytes: number): Buffer | null {
  try {
    const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      const stat = fstatSync(fd);
      return stat.isFile() && stat.size <= maxBytes ? readFileSync(fd) : null;
    } finally {
      closeSync(fd);
    }
  } catch (thrown) {
    // Not there, or not to be read: as good as empty.
    if (errnoOf(thrown) === null) throw thrown;
    return null;
  }
}

function write(path: string, pieces: readonly Buffer[], isNew: boolean): void {
  try {
    if (!isNew) {
      writeInto(openSync(path, constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW), pieces);
      return;
    }
    const temporary = join(dirname(path), `.tmp-${randomId()}`);
    try {
      writeInto(openSync(temporary, "wx", 0o600), pieces);
      renameSync(temporary, path);
    } finally {
      rmSync(temporary, { force: true });
    }
  } catch (thrown) {
    // A full or read-only disk: the texts are made again next time.
    if (errnoOf(thrown) === null) throw thrown;
  }
}

/** Entries of one write; more than the system takes at once. */
const PIECES_PER_WRITE = 500;

function writeInto(fd: number, pieces: readonly Buffer[]): void {
  try {
    for (let at = 0; at < pieces.length; at += PIECES_PER_WRITE) {
      const some = pieces.slice(at, at + PIECES_PER_WRITE);
      const wanted = some.reduce((sum, { length }) => sum + length, 0);
      // A full disk takes a part: what follows would not be found behind it.
      if (writevSync(fd, some) < wanted) return;
    }
  } finally {
    closeSync(fd);
  }
}

/** Gone with what it was made of: on the user's order to forget. */
export function dropKeptTexts(path: string): void {
  rmSync(path, { force: true });
}
