/**
 * The end of a stream of bytes, kept in two bounded files by plain writes: what was appended is with the kernel
 * and survives any death of this process; a power cut may take it (it is kept for people, not a promise of D1).
 *
 * Each half begins with a line that holds its number and how much of it counts. The one being filled has the greater
 * number; when it is full the other gets the next number, with nothing in it, and is filled over what it held: in place,
 * because making a file short and long again costs six times as much, at every piece of a flood. What a kill at each
 * step leaves:
 *  1. in the bytes of a piece   bytes that do not count yet; what counted is whole
 *  2. before the line says so   the same: the reader of our output has not seen that piece either
 *  3. after a new number        both are read, older first; the newer holds nothing
 * A line is written in one call within one page: it is the old one or the new one.
 */
import { closeSync, constants, ftruncateSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { ifThere, ioError } from "./io-error.ts";

/** One half. Coloured output holds several bytes of escape codes for one of text: 64 KiB give 4 KiB of text with room. */
const HALF_BYTES = 64 * 1024;

/** What is kept of one large piece: more than any reader asks for, a quarter of what a flood brings at once. */
export const TAIL_PIECE_BYTES = 16 * 1024;

const NAMES = ["tail.a", "tail.b"] as const;
/** A half without a length is whole to its end. */
const HEADER = /^refloat tail 1 (\d{1,15})(?: (\d{1,6}))?\n/;
const headerOf = (number: number, length: number): Buffer =>
  Buffer.from(`refloat tail 1 ${String(number).padStart(15, "0")} ${String(length).padStart(6, "0")}\n`);
const HEADER_BYTES = "refloat tail 1 000000000000000 000000\n".length;
const LINE_FEED = 0x0a;

export class TailFile {
  readonly #descriptors: readonly [number, number];
  #number = 0;
  #length = HALF_BYTES;

  constructor(folder: string) {
    try {
      const [first, second] = NAMES.map((name) => openEmpty(join(folder, name)));
      this.#descriptors = [first as number, second as number];
    } catch (thrown) {
      throw ioError(thrown, folder);
    }
  }

  /** In the kernel's hands when it returns. */
  append(piece: Uint8Array): void {
    const kept = endOf(piece);
    if (this.#length + kept.length > HALF_BYTES) this.#turnOver();
    writeAll(this.#current(), kept, HEADER_BYTES + this.#length);
    this.#length += kept.length;
    this.#writeHeader();
  }

  close(): void {
    for (const fd of this.#descriptors) closeSync(fd);
  }

  #turnOver(): void {
    this.#number += 1;
    this.#length = 0;
    this.#writeHeader();
  }

  #writeHeader(): void {
    writeAll(this.#current(), headerOf(this.#number, this.#length), 0);
  }

  #current(): number {
    return this.#descriptors[this.#number % 2 === 0 ? 1 : 0];
  }
}

export interface Tail {
  /** Oldest first. */
  readonly bytes: Buffer;
  /** There was more: the first line may lack its beginning. */
  readonly isCut: boolean;
}

/** What a tail file holds. Null: there is none. */
export function readTail(folder: string): Tail | null {
  const halves = NAMES.flatMap((name) => readHalf(join(folder, name)) ?? []).toSorted(
    (a, b) => a.number - b.number,
  );
  if (halves.length === 0) return null;
  return { bytes: Buffer.concat(halves.map(({ bytes }) => bytes)), isCut: halves[0]?.number !== 1 };
}

export const readTailFile = (folder: string): Buffer | null => readTail(folder)?.bytes ?? null;

function readHalf(path: string): { readonly number: number; readonly bytes: Buffer } | null {
  const bytes = ifThere(path, () => readFileSync(path));
  const [header, number, length] = HEADER.exec(bytes?.toString("latin1", 0, HEADER_BYTES) ?? "") ?? [];
  if (!bytes || header === undefined) return null;
  const counted = bytes.subarray(header.length);
  return {
    number: Number(number),
    bytes: length === undefined ? counted : counted.subarray(0, Number(length)),
  };
}

/** The end of a large piece, from the beginning of a line where there is one. */
function endOf(piece: Uint8Array): Uint8Array {
  if (piece.length <= TAIL_PIECE_BYTES) return piece;
  const end = piece.subarray(piece.length - TAIL_PIECE_BYTES);
  const feed = end.indexOf(LINE_FEED);
  // With the line feed itself: what stands before it in the file is another line's beginning.
  return feed < 0 || feed === end.length - 1 ? end : end.subarray(feed);
}

function openEmpty(path: string): number {
  const fd = openSync(path, constants.O_WRONLY | constants.O_CREAT, 0o600);
  ftruncateSync(fd);
  return fd;
}

function writeAll(fd: number, bytes: Uint8Array, at: number): void {
  for (let done = 0; done < bytes.length; )
    done += writeSync(fd, bytes, done, bytes.length - done, at + done);
}
