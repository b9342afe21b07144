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
  /** With auto_vacuum some pages say what all the others are (page-source.ts). */
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

// With auto_vacuum, some pages (the second, then every 820th or so) say of each page after them what it is.
// Salvage reads them for one reason: without them an overwritten page of rows cannot be told from a page of
// somebody's bytes, and the damage would be passed over in silence (T1).

/** `tree`: holds rows or keys of an index. `other`: overflow, or a map page itself. `unknown`: the map cannot be believed. */
export type PageUse = "tree" | "free" | "other" | "unknown";

/** A type and a page number for each page. */
const ITEM_BYTES = 5;
const FIRST_MAP_PAGE = 2;
const ROOT = 1;
const FREE = 2;
const TREE = 5;
const LAST_TYPE = 5;
/** SQLite never uses the page at this offset: its locks live there. */
const LOCK_BYTE = 2 ** 30;

export interface PointerMap {
  useOf(page: number): PageUse;
}

export const NO_POINTER_MAP: PointerMap = { useOf: () => "unknown" };

export function createPointerMap(pages: PageReader, pageBytes: number, pageCount: number): PointerMap {
  const perMap = Math.floor(pageBytes / ITEM_BYTES);
  const lockPage = LOCK_BYTE / pageBytes + 1;
  // Pages are asked for in order, so one map page at a time is enough.
  let current: { readonly at: number; readonly map: Buffer | null } = { at: 0, map: null };

  function mapAt(at: number): Buffer | null {
    if (current.at !== at) {
      const map = pages.read(at);
      const used = Math.min(perMap, pageCount - at);
      current = { at, map: map && isBelievable(map, used, lockPage - at - 1) ? map : null };
    }
    return current.map;
  }

  return {
    useOf(page) {
      if (page < FIRST_MAP_PAGE || page === lockPage) return "other";
      const group = Math.floor((page - FIRST_MAP_PAGE) / (perMap + 1));
      const start = FIRST_MAP_PAGE + group * (perMap + 1);
      const at = start === lockPage ? start + 1 : start;
      if (page === at) return "other";
      const map = mapAt(at);
      if (map === null) return "unknown";
      const type = map[(page - at - 1) * ITEM_BYTES];
      if (type === FREE) return "free";
      return type === ROOT || type === TREE ? "tree" : "other";
    },
  };
}

// One wrong type condemns the whole page: a map that is partly garbage would call good pages broken.
function isBelievable(map: Buffer, used: number, lockItem: number): boolean {
  for (let item = 0; item < used; item++) {
    const type = map[item * ITEM_BYTES] ?? 0;
    if (item !== lockItem && (type < ROOT || type > LAST_TYPE)) return false;
  }
  return true;
}
