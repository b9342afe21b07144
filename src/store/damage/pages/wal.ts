/**
 * What a write-ahead log holds, also when it is cut or damaged in the middle.
 *
 *  W-1  `newest` is what SQLite itself would show: frames chained without a break from the header, up to the
 *       last commit among them; the newest frame of a page wins.
 *  W-2  SQLite stops at the first broken frame and forgets the rest without a word (D7). Frames behind it were
 *       acknowledged; `beyond` lists them, and the rows in them prove themselves (D5).
 *  W-3  A frame that was never committed is in neither. So a frame counts only when an unbroken chain leads
 *       from it to a commit frame that is itself proved by that chain. Salts alone would not do: a log that
 *       was once cut and then written on has, behind its new end, old frames with the same salts.
 *
 * The first frame behind a break cannot be proved itself (what it continues is gone), but the next one proves
 * that it stood there: it counts for its rows, its own claim to be a commit does not.
 */
import type { FileReader } from "./file-reader.ts";
import {
  continues,
  FRAME_HEADER_BYTES,
  type FrameHeader,
  parseFrameHeader,
  parseWalHeader,
  WAL_HEADER_BYTES,
  type WalHeader,
} from "./wal-format.ts";

export interface BeyondFrame {
  readonly frame: number;
  readonly page: number;
}

export interface Wal {
  /** Null: a log that cannot be believed does not say. */
  readonly pageBytes: number | null;
  /** Page number to frame number (W-1). */
  readonly newest: ReadonlyMap<number, number>;
  /** Pages of the database after the last commit; null when nothing is committed in the log. */
  readonly pageCount: number | null;
  /** In the order of the file (W-2). */
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
