/**
 * The end of a stream of bytes, kept in two bounded files by plain writes: what was appended is with the kernel
 * and survives any death of this process; a power cut may take it (it is kept for people, not a promise of D1).
 *
 * Each half begins with a line that holds its number. The one being filled has the greater number; when it is full
 * the other is emptied, numbered and filled. What a kill at each step leaves:
 *  1. in an append            the half ends in part of that piece: bytes that were there, in order
 *  2. after emptying a half   it has no number and is not read; the full one is whole
 *  3. after numbering it      both are read, older first
 */
import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { errnoOf, ioError } from "./io-error.ts";

/** One half. Coloured output holds several bytes of escape codes for one of text: 64 KiB give 4 KiB of text with room. */
const HALF_BYTES = 64 * 1024;

/** What is kept of one large piece: more than any reader asks for, a quarter of what a flood brings at once. */
export const TAIL_PIECE_BYTES = 16 * 1024;

const NAMES = ["tail.a", "tail.b"] as const;
const NUMBERED = /^refloat tail 1 (\d{1,15})\n/;
const LINE_FEED = 0x0a;

export class TailFile {
  readonly #descriptors: readonly [number, number];
  #number = 0;
  #room = 0;

  constructor(folder: string) {
    try {
      const [first, second] = NAMES.map((name) => openForAppend(join(folder, name)));
      this.#descriptors = [first as number, second as number];
    } catch (thrown) {
      throw ioError(thrown, folder);
    }
  }

  /** In the kernel's hands when it returns. */
  append(piece: Uint8Array): void {
    const kept = endOf(piece);
    if (kept.length > this.#room) this.#turnOver();
    writeAll(this.#current(), kept);
    this.#room -= kept.length;
  }

  close(): void {
    for (const fd of this.#descriptors) closeSync(fd);
  }

  #turnOver(): void {
    this.#number += 1;
    ftruncateSync(this.#current());
    const header = Buffer.from(`refloat tail 1 ${this.#number}\n`);
    writeAll(this.#current(), header);
    this.#room = HALF_BYTES;
  }

  #current(): number {
    return this.#descriptors[this.#number % 2 === 0 ? 1 : 0];
  }
}

/** What a tail file holds, oldest first; its first line may lack its beginning. Null: there is none. */
export function readTailFile(folder: string): Buffer | null {
  const halves = NAMES.flatMap((name) => readHalf(join(folder, name)) ?? []).toSorted(
    (a, b) => a.number - b.number,
  );
  return halves.length === 0 ? null : Buffer.concat(halves.map(({ bytes }) => bytes));
}

function readHalf(path: string): { readonly number: number; readonly bytes: Buffer } | null {
  try {
    const bytes = readFileSync(path);
    const numbered = NUMBERED.exec(bytes.subarray(0, 40).toString("latin1"));
    if (!numbered) return null;
    return { number: Number(numbered[1]), bytes: bytes.subarray(numbered[0].length) };
  } catch (thrown) {
    if (errnoOf(thrown) === "ENOENT") return null;
    throw ioError(thrown, path);
  }
}

/** The end of a large piece, from the beginning of a line where there is one. */
function endOf(piece: Uint8Array): Uint8Array {
  if (piece.length <= TAIL_PIECE_BYTES) return piece;
  const end = piece.subarray(piece.length - TAIL_PIECE_BYTES);
  const feed = end.indexOf(LINE_FEED);
  // With the line feed itself: what stands before it in the file is another line's beginning.
  return feed < 0 || feed === end.length - 1 ? end : end.subarray(feed);
}

function openForAppend(path: string): number {
  const fd = openSync(path, "a", 0o600);
  ftruncateSync(fd);
  return fd;
}

function writeAll(fd: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done);
}
