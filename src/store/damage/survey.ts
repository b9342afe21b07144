/**
 * The first walk over every page: which of them are leaves with rows of ours, which are broken, and which
 * records were forgotten. The last has to be known before the first row is given: wherever an older image of
 * a forgotten record still lies, its body must not come back (D2).
 *
 * Pages on the free list are looked at like all others. What they hold proves itself, so it is equal to what
 * the store holds or was dropped by `gc`, which will drop it again: harmless. Trusting the free list would not
 * be: after a log was cut, it can call pages free that the database has since filled.
 */
import { setImmediate } from "node:timers/promises";
import type { ContentHash } from "../../model/ids.ts";
import { type Leaf, pageTypeOf, readRow, rowsOfImage, scanLeaf } from "./leaf-scan.ts";
import type { Images } from "./pages/images.ts";
import { createPointerMap, NO_POINTER_MAP, type PageUse, type PointerMap } from "./pages/page-source.ts";
import type { ProvenRow } from "./proven-row.ts";
import { createForgotten, type ForgottenRecords } from "./record-choice.ts";
import { mayBeForgotten, type RowShape } from "./row-shape.ts";
import type { SalvagedRow } from "./salvaged-row.ts";

export interface Survey {
  /** Images with records or chunks, in order. */
  readonly rowImages: readonly number[];
  /** Images with contents, refs or meta, in order. */
  readonly nameImages: readonly number[];
  readonly forgotten: ForgottenRecords;
  readonly pages: number;
  readonly leaves: number;
  readonly cells: number;
  /** Pages already reported as broken. */
  readonly broken: Set<number>;
}

type BrokenRow = Extract<SalvagedRow, { kind: "broken" }>;

/** A megabyte of pages: often enough that timers and heartbeats of the same process go on. */
const PAGES_PER_BREATH = 256;

const NAMES: ReadonlySet<RowShape> = new Set(["content", "ref", "meta"]);

/** `broken` has the pages reported so far, and gets those found here. */
export async function* surveyImages(images: Images, broken: Set<number>): AsyncGenerator<BrokenRow, Survey> {
  const map = pointerMapOf(images);
  const rowImages: number[] = [];
  const nameImages: number[] = [];
  const forgotten = createForgotten();
  let pages = 0;
  let leaves = 0;
  let cells = 0;
  for (let index = 0; index < images.count; index++) {
    await breathe(index);
    const { bytes, page, whence } = images.at(index);
    if (bytes !== null) pages++;
    // The first page holds the schema, which is not salvaged.
    if (page === 1) continue;
    const use = whence === "current" ? map.useOf(page) : "unknown";
    const leaf = bytes && isLeaf(bytes, use) ? scanLeaf(bytes) : null;
    const why = whence === "current" ? whyBroken(images, page, bytes, use, leaf) : null;
    if (why !== null && !broken.has(page)) {
      broken.add(page);
      yield { kind: "broken", page, why };
    }
    if (!leaf) continue;
    leaves++;
    cells += leaf.cellCount;
    if (leaf.cells.some((cell) => !NAMES.has(cell.shape))) rowImages.push(index);
    if (leaf.cells.some((cell) => NAMES.has(cell.shape))) nameImages.push(index);
    for (const cell of leaf.cells) {
      if (cell.shape !== "record" || !mayBeForgotten(cell.header.types)) continue;
      const row = readRow(cell, images.readersFor(whence));
      if (row?.kind === "record" && row.row.isForgotten) forgotten.note(row.row);
    }
  }
  return { rowImages, nameImages, forgotten, pages, leaves, cells, broken };
}

/** Lets the event loop turn now and then; `turn` counts what was done. */
export async function breathe(turn: number): Promise<void> {
  if (turn % PAGES_PER_BREATH === 0) await setImmediate();
}

/** Our stores have one; when the header cannot be read it is looked for, and believed only where it makes sense. */
export function pointerMapOf(images: Images): PointerMap {
  const hasMap = images.header?.hasPointerMap ?? true;
  return hasMap ? createPointerMap(images.current, images.pageBytes, images.currentCount) : NO_POINTER_MAP;
}

/**
 * A page whose first byte is damaged is still tried as a leaf if the map says that it holds rows or keys: its
 * rows prove themselves. Never a page of overflow: there everything is somebody's text, and could be made to
 * look like rows.
 */
function isLeaf(bytes: Buffer, use: PageUse): boolean {
  const type = pageTypeOf(bytes);
  return type === "table-leaf" || (type === "none" && use === "tree");
}

function whyBroken(
  images: Images,
  page: number,
  bytes: Buffer | null,
  use: PageUse,
  leaf: Leaf | null,
): string | null {
  if (bytes === null) return page <= images.filePages ? "the disk cannot read it" : null;
  if (use === "tree" && pageTypeOf(bytes) === "none")
    return "it was overwritten: it should hold rows or keys and does not";
  const isLive = use === "tree" || use === "unknown";
  return isLive && leaf !== null && leaf.brokenCells > 0 ? "rows in it cannot be read" : null;
}

/**
 * Contents that `forget` erased, or was erasing when it was killed (D2). It empties the log when it is done, so
 * normally nothing of them is left in any file. But killed between its commit and that, older images still
 * hold the bytes. A content is erased when a forgotten record named it and no other record does.
 *
 * Needs more walks over the leaves, but only where something was forgotten and left a trace.
 */
export interface ErasedContents {
  readonly contents: ReadonlySet<ContentHash>;
  readonly chunks: ReadonlySet<ContentHash>;
}

const NOTHING: ErasedContents = { contents: new Set(), chunks: new Set() };

export async function findErased(images: Images, survey: Survey): Promise<ErasedContents> {
  if (survey.forgotten.count === 0) return NOTHING;
  const contents = new Set<ContentHash>();
  await forEachNaming(images, survey, (hash, isForgotten) => {
    if (isForgotten) contents.add(hash);
  });
  if (contents.size === 0) return NOTHING;
  await forEachNaming(images, survey, (hash, isForgotten) => {
    if (!isForgotten) contents.delete(hash);
  });
  const chunks = new Set<ContentHash>();
  await forEachRow(images, survey.nameImages, ["content"], (row) => {
    if (row.kind === "content" && contents.has(row.row.hash))
      for (const chunk of row.row.chunks) chunks.add(chunk);
  });
  // Chunks are shared: what another content is made of stays.
  await forEachRow(images, survey.nameImages, ["content"], (row) => {
    if (row.kind === "content" && !contents.has(row.row.hash))
      for (const chunk of row.row.chunks) chunks.delete(chunk);
  });
  return { contents, chunks };
}

/** Every content a record names: through its refs, or as its spilled body. */
async function forEachNaming(
  images: Images,
  survey: Survey,
  visit: (hash: ContentHash, isForgotten: boolean) => void,
): Promise<void> {
  const { forgotten } = survey;
  await forEachRow(images, survey.nameImages, ["ref"], (row) => {
    if (row.kind === "ref") visit(row.hash, forgotten.has(row.session, row.seq));
  });
  await forEachRow(images, survey.rowImages, ["record"], (row) => {
    if (row.kind === "record" && row.row.spilled) visit(row.row.spilled, forgotten.covers(row.row));
  });
}

async function forEachRow(
  images: Images,
  indexes: readonly number[],
  wanted: readonly RowShape[],
  visit: (row: ProvenRow) => void,
): Promise<void> {
  let turn = 0;
  for (const index of indexes) {
    await breathe(turn++);
    for (const row of rowsOfImage(images, index, wanted)) if (row) visit(row);
  }
}
