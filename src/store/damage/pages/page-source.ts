/**
 * The pages of a database file by number (the first is 1), whatever is left of the file: no file at all, zero
 * bytes, a cut one, a header that was overwritten. Reads one page at a time; never the whole file.
 */
import type { FileReader } from "./file-reader.ts";

export interface PageReader {
  /** Null: not there, or the disk cannot read it. */
  read(page: number): Buffer | null;
}

export interface PageSource extends PageReader {
  readonly pageBytes: number;
  /** Pages of which at least one byte is in the file. */
  readonly pageCount: number;
}

/** What the first page says of the file, where it can be believed. */
export interface FileHeader {
  readonly pageBytes: number;
  /** Pages the file should have. Zero: not said. */
  readonly pageCount: number;
  /** With auto_vacuum some pages say what all the others are (pointer-map.ts). */
  readonly hasPointerMap: boolean;
}

/** What migrations.ts makes, assumed when the header cannot be read. */
const STORE_PAGE_BYTES = 4096;

const MAGIC = "SQLite format 3\0";
const HEADER_BYTES = 100;
const PAGE_SIZE_AT = 16;
const RESERVED_AT = 20;
const FRACTIONS_AT = 21;
const PAGE_COUNT_AT = 28;
const LARGEST_ROOT_AT = 52;
/** Three bytes that are the same in every database: maximum and minimum fractions of a payload. */
const FRACTIONS = 0x402020;

/**
 * Null unless everything in it that never varies is right. A header that is half damaged must not be half
 * believed: with a wrong page size, bytes inside somebody's text would be taken for pages.
 */
export function parseFileHeader(page: Buffer | null): FileHeader | null {
  if (page === null || page.length < HEADER_BYTES || page.toString("latin1", 0, MAGIC.length) !== MAGIC)
    return null;
  const pageBytes = page.readUInt16BE(PAGE_SIZE_AT);
  // Our stores reserve nothing at the end of a page, so the usable size is the page size throughout.
  if (page[RESERVED_AT] !== 0 || page.readUIntBE(FRACTIONS_AT, 3) !== FRACTIONS || !isPageSize(pageBytes))
    return null;
  return {
    pageBytes,
    pageCount: page.readUInt32BE(PAGE_COUNT_AT),
    hasPointerMap: page.readUInt32BE(LARGEST_ROOT_AT) !== 0,
  };
}

/** 512 to 32768 and a power of two. SQLite also knows 65536, which our stores never have. */
export function isPageSize(bytes: number): boolean {
  return bytes >= 512 && bytes <= 32768 && (bytes & (bytes - 1)) === 0;
}

/** `pageBytes`: what the log's header says, if it could be believed; it wins over the file's own header. */
export function createPageSource(file: FileReader | null, pageBytes: number | null): PageSource {
  const size =
    pageBytes ?? parseFileHeader(file?.read(0, HEADER_BYTES) ?? null)?.pageBytes ?? STORE_PAGE_BYTES;
  const pageCount = Math.ceil((file?.size ?? 0) / size);
  return {
    pageBytes: size,
    pageCount,
    read(page) {
      if (file === null || page < 1 || page > pageCount) return null;
      const bytes = file.read((page - 1) * size, size);
      if (bytes === null || bytes.length === size) return bytes;
      // The file was cut inside this page: rows before the cut are still whole and verify by themselves.
      return Buffer.concat([bytes, Buffer.alloc(size - bytes.length)]);
    },
  };
}
