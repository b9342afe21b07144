/**
 * The parts of SQLite's write-ahead log: a header of 32 bytes, then frames of 24 bytes and a page. Every
 * frame repeats the header's two salts and carries a checksum that continues the frame before it, so that
 * two frames can be proved to have been written one after the other.
 */
import { isPageSize } from "./page-source.ts";

export const WAL_HEADER_BYTES = 32;
export const FRAME_HEADER_BYTES = 24;

export interface Checksum {
  readonly a: number;
  readonly b: number;
}

export interface WalHeader {
  /** All of it is right by its own checksum. If not, nothing but `checksum` is taken from the bytes. */
  readonly isWhole: boolean;
  readonly pageBytes: number;
  readonly isBigEndian: boolean;
  /** Both salts as they stand in the file; null when the header cannot be believed. */
  readonly salts: string | null;
  /** What the first frame continues. */
  readonly checksum: Checksum;
}

export interface FrameHeader {
  readonly page: number;
  /** Pages of the database after this transaction, on its last frame; zero on all others. */
  readonly commitPages: number;
  readonly salts: string;
  readonly checksum: Checksum;
}

const MAGIC_LITTLE = 0x377f0682;
const MAGIC_BIG = 0x377f0683;
const VERSION = 3007000;
const CHECKED_HEADER_BYTES = 24;
/** Of a frame's own header only page and commit size are under its checksum; the salts are compared. */
const CHECKED_FRAME_BYTES = 8;

/** Null when there is no header at all: an empty log is a healthy one. */
export function parseWalHeader(bytes: Buffer | null, assumedPageBytes: number): WalHeader | null {
  if (bytes !== null && bytes.length < WAL_HEADER_BYTES) return null;
  const header = bytes ?? Buffer.alloc(WAL_HEADER_BYTES);
  const magic = header.readUInt32BE(0);
  const isBigEndian = magic === MAGIC_BIG;
  const pageBytes = header.readUInt32BE(8);
  const checksum = checksumAt(header, CHECKED_HEADER_BYTES);
  const isWhole =
    (isBigEndian || magic === MAGIC_LITTLE) &&
    header.readUInt32BE(4) === VERSION &&
    isPageSize(pageBytes) &&
    isSame(addToChecksum({ a: 0, b: 0 }, header.subarray(0, CHECKED_HEADER_BYTES), isBigEndian), checksum);
  return isWhole
    ? { isWhole, pageBytes, isBigEndian, salts: saltsAt(header, 16), checksum }
    : { isWhole, pageBytes: assumedPageBytes, isBigEndian, salts: null, checksum };
}

export function parseFrameHeader(frame: Buffer): FrameHeader {
  return {
    page: frame.readUInt32BE(0),
    commitPages: frame.readUInt32BE(4),
    salts: saltsAt(frame, 8),
    checksum: checksumAt(frame, 16),
  };
}

/** Whether this frame was written right after one that carries the checksum `before`, and nothing in it changed since. */
export function continues(
  before: Checksum,
  frame: Buffer,
  header: FrameHeader,
  isBigEndian: boolean,
): boolean {
  const begun = addToChecksum(before, frame.subarray(0, CHECKED_FRAME_BYTES), isBigEndian);
  return isSame(addToChecksum(begun, frame.subarray(FRAME_HEADER_BYTES), isBigEndian), header.checksum);
}

function addToChecksum(before: Checksum, bytes: Buffer, isBigEndian: boolean): Checksum {
  const words = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let { a, b } = before;
  for (let at = 0; at + 8 <= bytes.length; at += 8) {
    a = (a + words.getUint32(at, !isBigEndian) + b) >>> 0;
    b = (b + words.getUint32(at + 4, !isBigEndian) + a) >>> 0;
  }
  return { a, b };
}

function checksumAt(bytes: Buffer, at: number): Checksum {
  return { a: bytes.readUInt32BE(at), b: bytes.readUInt32BE(at + 4) };
}

function saltsAt(bytes: Buffer, at: number): string {
  return bytes.toString("hex", at, at + 8);
}

function isSame(x: Checksum, y: Checksum): boolean {
  return x.a === y.a && x.b === y.b;
}
