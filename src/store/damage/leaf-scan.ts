/**
 * The cells of one table leaf, found by the page's own bytes only: a tree that leads here is not needed, so
 * a lost root loses nothing but itself (D5). Overflow chains have a length that the cell fixes beforehand,
 * so a chain that runs in a circle or into garbage ends like any other, and its row does not verify.
 */
import { CHUNK_BYTES, INLINE_BODY_BYTES } from "../../model/limits.ts";
import type { Images } from "./pages/images.ts";
import type { PageReader } from "./pages/page-source.ts";
import { decodeColumns, parseRecordHeader, type RecordHeader, readVarint } from "./pages/record-format.ts";
import { type ProvenRow, provenRow } from "./proven-row.ts";
import { type RowShape, shapeOf } from "./row-shape.ts";

export interface Cell {
  readonly shape: RowShape;
  readonly header: RecordHeader;
  /** The part of the payload that lies in the leaf itself. */
  readonly local: Buffer;
  /** The first overflow page; zero when there is none. */
  readonly overflow: number;
}

export interface Leaf {
  /** Cells with the shape of a table that is salvaged. */
  readonly cells: readonly Cell[];
  /** All cells, those of other tables included. */
  readonly cellCount: number;
  /** Cells that are no cells at all. */
  readonly brokenCells: number;
}

export type PageType = "table-leaf" | "other-tree" | "none";

/** The longest row is a chunk, then an inline body. Four times that is room for the rest; more is garbage, and must not be allocated. */
const MAX_PAYLOAD_BYTES = 4 * Math.max(CHUNK_BYTES, INLINE_BODY_BYTES);

const LEAF_HEADER_BYTES = 8;
const POINTER_BYTES = 2;
const MIN_CELL_BYTES = 4;
const NEXT_PAGE_BYTES = 4;

export function pageTypeOf(page: Buffer): PageType {
  switch (page[0]) {
    case 0x0d:
      return "table-leaf";
    case 0x02:
    case 0x05:
    case 0x0a:
      return "other-tree";
    default:
      return "none";
  }
}

/** For every page but the first, which holds the schema and nothing else. */
export function scanLeaf(page: Buffer): Leaf {
  const cellCount = page.readUInt16BE(3);
  const cells: Cell[] = [];
  if (cellCount > (page.length - LEAF_HEADER_BYTES) / (POINTER_BYTES + MIN_CELL_BYTES)) {
    return { cells, cellCount: 0, brokenCells: 1 };
  }
  const pointersEnd = LEAF_HEADER_BYTES + cellCount * POINTER_BYTES;
  const seen = new Set<number>();
  let brokenCells = 0;
  for (let i = 0; i < cellCount; i++) {
    const at = page.readUInt16BE(LEAF_HEADER_BYTES + i * POINTER_BYTES);
    // The same cell twice is damage; reading it once bounds what a garbage page can cost.
    const cell = at < pointersEnd || seen.has(at) ? null : readCell(page, at);
    seen.add(at);
    if (cell === null) brokenCells++;
    else if (cell !== "foreign") cells.push(cell);
  }
  return { cells, cellCount, brokenCells };
}

/**
 * The row of a cell, or null if it does not prove itself. Its overflow pages are looked up in each reader in
 * turn: after damage nobody knows which of two images of a page is the newer one, but the row does.
 */
export function readRow(cell: Cell, readers: readonly PageReader[]): ProvenRow | null {
  for (const pages of cell.overflow === 0 ? readers.slice(0, 1) : readers) {
    const payload = readPayload(cell, pages);
    const values = payload && decodeColumns(payload, cell.header);
    const row = values && provenRow(cell.shape, values);
    if (row) return row;
  }
  return null;
}

function readCell(page: Buffer, at: number): Cell | "foreign" | null {
  const length = readVarint(page, at);
  const rowNumber = length && readVarint(page, length.next);
  if (!length || !rowNumber || length.value > MAX_PAYLOAD_BYTES) return null;
  const localBytes = localPayloadBytes(length.value, page.length);
  const localEnd = rowNumber.next + localBytes;
  const hasOverflow = localBytes < length.value;
  if (localEnd + (hasOverflow ? NEXT_PAGE_BYTES : 0) > page.length) return null;
  const local = page.subarray(rowNumber.next, localEnd);
  const header = parseRecordHeader(local);
  if (header === null || header.bytes !== length.value) return null;
  const shape = shapeOf(header.types);
  if (shape === null) return "foreign";
  return { shape, header, local, overflow: hasOverflow ? page.readUInt32BE(localEnd) : 0 };
}

/** How much of a payload SQLite keeps in a table leaf; the rest goes to overflow pages. */
function localPayloadBytes(payloadBytes: number, pageBytes: number): number {
  const most = pageBytes - 35;
  if (payloadBytes <= most) return payloadBytes;
  const least = Math.floor(((pageBytes - 12) * 32) / 255) - 23;
  const filled = least + ((payloadBytes - least) % (pageBytes - NEXT_PAGE_BYTES));
  return filled <= most ? filled : least;
}

/** A copy: nothing handed out keeps a block of the file in memory. */
function readPayload(cell: Cell, pages: PageReader): Buffer | null {
  const payload = Buffer.allocUnsafeSlow(cell.header.bytes);
  let done = cell.local.copy(payload);
  for (let next = cell.overflow; done < payload.length; ) {
    const page = pages.read(next);
    if (page === null) return null;
    next = page.readUInt32BE(0);
    done += page.copy(payload, done, NEXT_PAGE_BYTES);
  }
  return payload;
}

// The rows of the wanted shapes in one image; null for each that does not prove itself.

/** `index` is one of an image that the survey found to be a leaf. */
export function* rowsOfImage(
  images: Images,
  index: number,
  wanted: readonly RowShape[],
): Generator<ProvenRow | null> {
  const { bytes, whence } = images.at(index);
  if (bytes === null) return;
  for (const cell of scanLeaf(bytes).cells) {
    if (wanted.includes(cell.shape)) yield readRow(cell, images.readersFor(whence));
  }
}
