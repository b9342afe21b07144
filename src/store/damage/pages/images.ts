/**
 * Every page image in which a row may still be found, numbered, each with where it comes from:
 *
 *  - `current`: what SQLite would show, database and committed log together.
 *  - `hidden`: the database's own image of a page that the log replaces, or that lies behind the end the log
 *    gives it. In a whole log those are older and say nothing new. But checkpoints copy the log into the
 *    database without shortening it: after a log was cut, the database's image can be the newer one.
 *  - `beyond`: committed frames behind a break in the log (wal.ts).
 */
import { type FileReader, openFileReader } from "./file-reader.ts";
import {
  createPageSource,
  type FileHeader,
  type PageReader,
  type PageSource,
  parseFileHeader,
} from "./page-source.ts";
import { readWal, type Wal } from "./wal.ts";

export type Whence = "current" | "hidden" | "beyond";

export interface Image {
  readonly whence: Whence;
  readonly page: number;
  /** Null: not in the file, or the disk cannot read it. */
  readonly bytes: Buffer | null;
}

export interface Images {
  /** Images are numbered from 0; the current ones come first. */
  readonly count: number;
  readonly currentCount: number;
  readonly pageBytes: number;
  readonly header: FileHeader | null;
  /** Pages in the database file itself. */
  readonly filePages: number;
  /** Where the log is broken, if acknowledged frames lie behind it. */
  readonly brokenFrame: number | null;
  readonly current: PageReader;
  at(index: number): Image;
  /** Where to look for the overflow pages of a row found in such an image, best first. */
  readersFor(whence: Whence): readonly PageReader[];
  close(): void;
}

export function openImages(dbPath: string, walPath: string | null): Images {
  const dbFile = openFileReader(dbPath);
  let walFile: FileReader | null = null;
  try {
    walFile = walPath === null ? null : openFileReader(walPath);
    const fromHeader = createPageSource(dbFile, null);
    const wal = readWal(walFile, fromHeader.pageBytes);
    const db = wal.pageBytes === null ? fromHeader : createPageSource(dbFile, wal.pageBytes);
    return combine(db, wal, () => {
      dbFile?.close();
      walFile?.close();
    });
  } catch (thrown) {
    dbFile?.close();
    walFile?.close();
    throw thrown;
  }
}

function combine(db: PageSource, wal: Wal, close: () => void): Images {
  const currentCount = wal.pageCount ?? db.pageCount;
  const hidden = hiddenPages(db, wal, currentCount);
  const beyondStart = currentCount + hidden.length;
  const current: PageReader = { read: (page) => readOver(wal, wal.newest, db, page) };
  const newestBeyond = new Map(wal.beyond.map(({ page, frame }) => [page, frame]));
  const beyond: PageReader = { read: (page) => readOver(wal, newestBeyond, current, page) };
  const hasLog = wal.newest.size > 0 || wal.beyond.length > 0;
  const readers: Record<Whence, readonly PageReader[]> = hasLog
    ? { current: [current, db, beyond], hidden: [db, current, beyond], beyond: [beyond, current, db] }
    : { current: [db], hidden: [db], beyond: [db] };
  return {
    count: beyondStart + wal.beyond.length,
    currentCount,
    pageBytes: db.pageBytes,
    header: parseFileHeader(current.read(1)),
    filePages: db.pageCount,
    brokenFrame: wal.brokenAt,
    current,
    at(index) {
      if (index < currentCount) return { whence: "current", page: index + 1, bytes: current.read(index + 1) };
      if (index < beyondStart) {
        const page = hidden[index - currentCount] ?? 0;
        return { whence: "hidden", page, bytes: db.read(page) };
      }
      const { page, frame } = wal.beyond[index - beyondStart] ?? { page: 0, frame: 0 };
      return { whence: "beyond", page, bytes: wal.read(frame) };
    },
    readersFor: (whence) => readers[whence],
    close,
  };
}

function hiddenPages(db: PageSource, wal: Wal, currentCount: number): number[] {
  const pages = [...wal.newest.keys()]
    .filter((page) => page <= db.pageCount && page <= currentCount)
    .sort((a, b) => a - b);
  for (let page = currentCount + 1; page <= db.pageCount; page++) pages.push(page);
  return pages;
}

function readOver(
  wal: Wal,
  frames: ReadonlyMap<number, number>,
  under: PageReader,
  page: number,
): Buffer | null {
  const frame = frames.get(page);
  return frame === undefined ? under.read(page) : wal.read(frame);
}
