/**
 * Texts by key, kept in one file between processes, where losing them costs only the time to make them again. So nothing
 * is synced, and whatever is not certainly whole is not there:
 *
 *  kept 1  Each entry carries a checksum over build, key and text, checked when it is handed out.
 *  kept 2  A file made by another build, cut off, overwritten or too long is not read beyond what can be told; the next piece
 *       that is written makes it anew.
 *  kept 3  Two processes at once lose at most each other's new entries: whole entries are added by one write, a new file by rename.
 *  kept 4  However many texts there are, memory holds where they are and one piece of new ones: they go to disk as they come.
 */
import { closeSync, rmSync } from "node:fs";
import { errnoOf } from "./io-error.ts";
import {
  appendPiece,
  type EntryPlace,
  entryAt,
  entryBytes,
  isSound,
  makeTextFile,
  openTextFile,
  PIECE_BYTES,
  putEntry,
  sizesOf,
  type TextFile,
  textOf,
} from "./text-file.ts";

export interface KeptTexts {
  get(key: string): string | undefined;
  set(key: string, text: string): void;
  /** Puts on disk what is not there yet and lets go of the file; a disk that will not take it changes nothing. */
  close(): void;
}

export interface KeptOptions {
  /** What made the texts: those of another are not believed. */
  readonly build: string;
  /** The file is never longer; what was asked for last stays. */
  readonly maxBytes: number;
}

const FORMAT = "refloat texts 1";

export const openKeptTexts = (path: string, options: KeptOptions): KeptTexts =>
  new TextsOfFile(path, options);

class TextsOfFile implements KeptTexts {
  readonly #path: string;
  readonly #build: string;
  readonly #head: Buffer;
  readonly #maxBytes: number;
  #file: TextFile | null;
  /** New entries one after the other, up to `#used`, and where. */
  #piece = Buffer.alloc(0);
  #used = 0;
  readonly #inPiece = new Map<string, EntryPlace>();
  /** Made by this process and in the file. */
  readonly #own = new Set<string>();
  readonly #asked = new Set<string>();
  /** Nothing more is kept. */
  #isOver = false;

  constructor(path: string, { build, maxBytes }: KeptOptions) {
    this.#path = path;
    this.#build = build;
    this.#head = Buffer.from(`${FORMAT} ${build}\n`);
    this.#maxBytes = maxBytes;
    this.#file = openTextFile(path, this.#head, maxBytes);
  }

  get(key: string): string | undefined {
    const fresh = this.#inPiece.get(key);
    if (fresh) return textOf(this.#build, this.#freshEntry(fresh), key) ?? undefined;
    const place = this.#file?.places.get(key);
    if (!this.#file || !place) return undefined;
    const text = textOf(this.#build, entryAt(this.#file, place), key);
    if (text === null) {
      this.#file.places.delete(key);
      this.#file.isWhole = false;
      return undefined;
    }
    this.#asked.add(key);
    return text;
  }

  set(key: string, text: string): void {
    const sizes = sizesOf(key, text);
    const size = entryBytes(sizes);
    // One that would drive out most others is not worth it.
    if (this.#isOver || size > this.#maxBytes / 2) return;
    if (this.#used + size > this.#piece.length) this.#put();
    if (size > this.#piece.length) this.#piece = Buffer.allocUnsafeSlow(Math.max(size, PIECE_BYTES));
    const place = { at: this.#used, ...sizes };
    putEntry(this.#build, this.#piece, place, key, text);
    this.#inPiece.set(key, place);
    this.#used += size;
  }

  close(): void {
    if (!this.#isOver) this.#put();
    this.#isOver = true;
    if (this.#file) closeSync(this.#file.fd);
    this.#file = null;
  }

  #freshEntry(place: EntryPlace): Buffer {
    return this.#piece.subarray(place.at, place.at + entryBytes(place));
  }

  #put(): void {
    const file = this.#file;
    const isMending = file !== null && !file.isWhole && file.places.size > 0;
    if (this.#used === 0 && !isMending) return;
    try {
      if (file?.isWhole && file.size + this.#used <= this.#maxBytes)
        appendPiece(file, this.#piece.subarray(0, this.#used), this.#inPiece);
      else this.#makeAnew(file);
      for (const key of this.#inPiece.keys()) this.#own.add(key);
    } catch (thrown) {
      // A full or read-only disk: the texts are made again next time.
      if (errnoOf(thrown) === null) throw thrown;
      this.#isOver = true;
    }
    this.#inPiece.clear();
    this.#used = 0;
  }

  #makeAnew(old: TextFile | null): void {
    const room = this.#maxBytes - this.#head.length - this.#used;
    const stay = old ? this.#staying(old, room) : new Map<string, EntryPlace>();
    if (stay === null) {
      this.#isOver = true;
      return;
    }
    this.#file = makeTextFile(this.#path, this.#head, this.#entries(old, stay));
    if (old) closeSync(old.fd);
  }

  /** All of our own, then those that were asked for, then the newest others, these while they fit into half: the next only add. Null: our own do not fit. */
  #staying(file: TextFile, room: number): Map<string, EntryPlace> | null {
    const newest = [...file.places].filter(([key]) => !this.#inPiece.has(key)).reverse();
    const others = newest.filter(([key]) => !this.#own.has(key));
    const stay = new Map<string, EntryPlace>();
    let left = room;
    const take = ([key, place]: [string, EntryPlace], least: number): void => {
      if (left - entryBytes(place) < least) return;
      left -= entryBytes(place);
      stay.set(key, place);
    };
    for (const one of newest) if (this.#own.has(one[0])) take(one, 0);
    if (stay.size + others.length < newest.length) return null;
    for (const one of others) if (this.#asked.has(one[0])) take(one, room / 2);
    for (const one of others) if (!this.#asked.has(one[0])) take(one, room / 2);
    return stay;
  }

  /** The old ones that are sound, the newest last, then the new ones. */
  *#entries(
    old: TextFile | null,
    stay: ReadonlyMap<string, EntryPlace>,
  ): Iterable<[string, Buffer, EntryPlace]> {
    for (const [key, place] of old?.places ?? []) {
      if (!old || !stay.has(key)) continue;
      const entry = entryAt(old, place);
      if (isSound(this.#build, entry)) yield [key, entry, place];
    }
    for (const [key, place] of this.#inPiece) yield [key, this.#freshEntry(place), place];
  }
}

/** Gone with what it was made of: on the user's order to forget. */
export function dropKeptTexts(path: string): void {
  rmSync(path, { force: true });
}
