/**
 * What a write-ahead log holds, also when it is cut or damaged in the middle.
 *
 *  wal 1  `newest` is what SQLite itself would show: frames chained without a break from the header, up to the
 *       last commit among them; the newest frame of a page wins.
 *  wal 2  SQLite stops at the first broken frame and forgets the rest without a word (D7). Frames behind it were
 *       acknowledged; `beyond` lists them, and the rows in them prove themselves (D5).
 *  wal 3  A frame that was never committed is in neither. So a frame counts only when an unbroken chain leads
 *       from it to a commit frame that is itself proved by that chain. Salts alone would not do: a log that
 *       was once cut and then written on has, behind its new end, old frames with the same salts.
 *
 * The first frame behind a break cannot be proved itself (what it continues is gone), but the next one proves
 * that it stood there: it counts for its rows, its own claim to be a commit does not.
 */
import type { FileReader } from "./file-reader.ts";
import { isPageSize } from "./page-source.ts";

/**
 * The parts of SQLite's write-ahead log: a header of 32 bytes, then frames of 24 bytes and a page. Every
 * frame repeats the header's two salts and carries a checksum that continues the frame before it, so that
 * two frames can be proved to have been written one after the other.
 */
const WAL_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;

interface Checksum {
  readonly a: number;
  readonly b: number;
}

interface WalHeader {
  /** All of it is right by its own checksum. If not, nothing but `checksum` is taken from the bytes. */
  readonly isWhole: boolean;
  readonly pageBytes: number;
  readonly isBigEndian: boolean;
  /** Both salts as they stand in the file; null when the header cannot be believed. */
  readonly salts: string | null;
  /** What the first frame continues. */
  readonly checksum: Checksum;
}

interface FrameHeader {
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
function parseWalHeader(bytes: Buffer | null, assumedPageBytes: number): WalHeader | null {
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

function parseFrameHeader(frame: Buffer): FrameHeader {
  return {
    page: frame.readUInt32BE(0),
    commitPages: frame.readUInt32BE(4),
    salts: saltsAt(frame, 8),
    checksum: checksumAt(frame, 16),
  };
}

/** Whether this frame was written right after one that carries the checksum `before`, and nothing in it changed since. */
function continues(before: Checksum, frame: Buffer, header: FrameHeader, isBigEndian: boolean): boolean {
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

export interface BeyondFrame {
  readonly frame: number;
  readonly page: number;
}

export interface Wal {
  /** Null: a log that cannot be believed does not say. */
  readonly pageBytes: number | null;
  /** Page number to frame number (wal 1). */
  readonly newest: ReadonlyMap<number, number>;
  /** Pages of the database after the last commit; null when nothing is committed in the log. */
  readonly pageCount: number | null;
  /** In the order of the file (wal 2). */
  readonly beyond: readonly BeyondFrame[];
  /** The first frame that does not continue the one before it, when something acknowledged lies behind it. Zero: the header. */
  readonly brokenAt: number | null;
  /** The page image of a frame; null when the disk cannot read it. */
  read(frame: number): Buffer | null;
}

const EMPTY_WAL: Wal = {
  pageBytes: null,
  newest: new Map(),
  pageCount: null,
  beyond: [],
  brokenAt: null,
  read: () => null,
};

export function readWal(file: FileReader | null, assumedPageBytes: number): Wal {
  const header = file && parseWalHeader(file.read(0, WAL_HEADER_BYTES), assumedPageBytes);
  if (!file || !header) return EMPTY_WAL;
  const stride = FRAME_HEADER_BYTES + header.pageBytes;
  const readFrame = (frame: number): Buffer | null => {
    const bytes = file.read(WAL_HEADER_BYTES + (frame - 1) * stride, stride);
    return bytes?.length === stride ? bytes : null;
  };
  const frameCount = Math.floor(Math.max(0, file.size - WAL_HEADER_BYTES) / stride);
  return {
    pageBytes: header.isWhole ? header.pageBytes : null,
    ...sortFrames(header, frameCount, readFrame),
    read: (frame) => readFrame(frame)?.subarray(FRAME_HEADER_BYTES) ?? null,
  };
}

type SortedFrames = Pick<Wal, "newest" | "pageCount" | "beyond" | "brokenAt">;

function sortFrames(
  header: WalHeader,
  frameCount: number,
  readFrame: (frame: number) => Buffer | null,
): SortedFrames {
  const newest = new Map<number, number>();
  const beyond: BeyondFrame[] = [];
  let pageCount: number | null = null;
  let firstBreak = header.isWhole ? null : 0;
  const salts = header.salts ?? firstProvenSalts(header, frameCount, readFrame);
  let before = header.checksum;
  /** Chained so far, and not yet known to be committed. */
  let pending: BeyondFrame[] = [];
  for (let frame = 1; frame <= frameCount; frame++) {
    const bytes = readFrame(frame);
    const found = bytes && parseFrameHeader(bytes);
    const isOfThisLog = bytes !== null && found !== null && found.salts === salts && found.page > 0;
    const isChained = isOfThisLog && continues(before, bytes, found, header.isBigEndian);
    if (!isChained) {
      firstBreak ??= frame;
      pending = [];
    }
    if (found) before = found.checksum;
    if (!isOfThisLog) continue;
    pending.push({ frame, page: found.page });
    if (!isChained || found.commitPages === 0) continue;
    if (firstBreak === null) {
      for (const image of pending) newest.set(image.page, image.frame);
      pageCount = found.commitPages;
    } else {
      for (const image of pending) beyond.push(image);
    }
    pending = [];
  }
  return { newest, pageCount, beyond, brokenAt: beyond.length > 0 ? firstBreak : null };
}

/**
 * Whose frames these are when the header does not say. A log is always written from its start, so the first
 * two frames that follow each other belong to the newest writing; what older ones left comes behind.
 */
function firstProvenSalts(
  header: WalHeader,
  frameCount: number,
  readFrame: (frame: number) => Buffer | null,
): string | null {
  let before: FrameHeader | null = null;
  for (let frame = 1; frame <= frameCount; frame++) {
    const bytes = readFrame(frame);
    const found = bytes && parseFrameHeader(bytes);
    const isSameWriting = before !== null && found?.salts === before.salts;
    if (
      isSameWriting &&
      bytes &&
      found &&
      before &&
      continues(before.checksum, bytes, found, header.isBigEndian)
    )
      return found.salts;
    before = found;
  }
  return null;
}
