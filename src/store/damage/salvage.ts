/**
 * Every whole row of a damaged SQLite store, read from its pages without SQLite (D5): through SQL a damaged
 * root page makes all of a table unreadable, and a damaged log all that comes after the damage (D7).
 *
 *  salvage 1  Only what proves itself is given as a record, a chunk or a content: wherever it was found, it is true.
 *  salvage 2  What was forgotten stays forgotten: a forgotten record wins over every older image of it, and the
 *       contents it alone named do not come back (D2).
 *  salvage 3  What was never committed is not given (wal.ts, wal 3).
 *  salvage 4  What SQLite would show comes first. Rows from hidden and beyond images only add what is missing; and
 *       nothing of a session whose journal went on differently there: after an accepted loss the same sequence
 *       numbers were given again, and the two stories must not be mixed.
 *  salvage 5  Nothing is written, and memory is bounded by the number of rows, at some bytes each, not by their size.
 *
 * Order: broken pages, records and chunks, then contents, refs and the store's id, with more broken pages
 * in between. The caller inserts, and computes again what is computed from the journal.
 */
import { type ChunkPlaces, createChunkPlaces, createHashIndex, isProvenContent } from "./chunk-places.ts";
import { rowsOfImage } from "./leaf-scan.ts";
import { type Images, openImages } from "./pages/images.ts";
import type { PointerMap } from "./pages/page-source.ts";
import { createRecordChoice, type RecordChoice } from "./record-choice.ts";
import type { SalvagedRow, SalvageStats } from "./salvaged-row.ts";
import {
  breathe,
  type ErasedContents,
  findErased,
  pointerMapOf,
  type Survey,
  surveyImages,
} from "./survey.ts";

/** What the walks share. */
interface Work {
  readonly images: Images;
  readonly survey: Survey;
  readonly erased: ErasedContents;
  readonly map: PointerMap;
  readonly records: RecordChoice;
  readonly places: ChunkPlaces;
  readonly counts: { chunks: number; contents: number; asideRecords: number };
}

/** `walPath` is usually the database's path with "-wal"; null, or a file that is not there: no log. */
export async function* salvageRows(
  dbPath: string,
  walPath: string | null,
): AsyncGenerator<SalvagedRow, SalvageStats> {
  const images = openImages(dbPath, walPath);
  try {
    const broken = new Set<number>();
    yield* brokenFiles(images, broken);
    const survey = yield* surveyImages(images, broken);
    const work: Work = {
      images,
      survey,
      erased: await findErased(images, survey),
      map: pointerMapOf(images),
      records: createRecordChoice(survey.forgotten),
      places: createChunkPlaces(images),
      counts: { chunks: 0, contents: 0, asideRecords: 0 },
    };
    const [current, aside] = split(survey.rowImages, images.currentCount);
    yield* giveRows(work, current);
    yield* compareStories(work, aside);
    yield* giveRows(work, aside);
    yield* giveNames(work);
    const { pages, leaves, cells } = survey;
    return { pages, leaves, cells, records: work.records.count, ...work.counts, brokenPages: broken.size };
  } finally {
    images.close();
  }
}

function* brokenFiles(images: Images, broken: Set<number>): Generator<SalvagedRow> {
  const { header, filePages, currentCount, brokenFrame } = images;
  if (header === null) {
    broken.add(1);
    yield { kind: "broken", page: 1, why: "the file's header cannot be read" };
  }
  const shouldHave = Math.max(currentCount, header?.pageCount ?? 0);
  for (let page = filePages + 1; page <= shouldHave; page++) {
    if (images.current.read(page) !== null) continue;
    broken.add(page);
    yield { kind: "broken", page, why: `the file ends before it; it should have ${shouldHave} pages` };
    break;
  }
  if (brokenFrame === 0) yield { kind: "broken", page: null, why: "its header is damaged" };
  else if (brokenFrame !== null)
    yield { kind: "broken", page: null, why: `it is broken at frame ${brokenFrame}` };
}

async function* giveRows(work: Work, indexes: readonly number[]): AsyncGenerator<SalvagedRow> {
  const { images, records, erased, places, counts } = work;
  let turn = 0;
  for (const index of indexes) {
    await breathe(turn++);
    const { whence } = images.at(index);
    for (const row of rowsOfImage(images, index, ["record", "chunk"])) {
      if (row === null) {
        yield* brokenRow(work, index, "a row in it is damaged");
      } else if (row.kind === "record" && records.choose(row.row, whence)) {
        if (whence !== "current") counts.asideRecords++;
        yield { ...row, whence };
      } else if (
        row.kind === "chunk" &&
        !erased.chunks.has(row.hash) &&
        places.note(row.hash, row.bytes.length, index)
      ) {
        counts.chunks++;
        yield { ...row, whence };
      }
    }
  }
}

/** salvage 4 */
async function* compareStories(
  { images, records }: Work,
  aside: readonly number[],
): AsyncGenerator<SalvagedRow> {
  let turn = 0;
  for (const index of aside) {
    await breathe(turn++);
    for (const row of rowsOfImage(images, index, ["record"]))
      if (row?.kind === "record") records.compare(row.row);
  }
  for (const session of records.contradicted) {
    yield {
      kind: "broken",
      page: null,
      why: `it holds another story of session ${session}, from before a loss was accepted`,
    };
  }
}

async function* giveNames(work: Work): AsyncGenerator<SalvagedRow> {
  const { images, survey, erased, records, counts } = work;
  const contents = createHashIndex();
  let hasStoreId = false;
  let turn = 0;
  for (const index of survey.nameImages) {
    await breathe(turn++);
    const { whence } = images.at(index);
    for (const row of rowsOfImage(images, index, ["content", "ref", "meta"])) {
      if (row?.kind === "ref") {
        if (survey.forgotten.has(row.session, row.seq)) continue; // salvage 2
        if (whence !== "current" && records.contradicted.has(row.session)) continue; // salvage 4
        yield { ...row, hasRecord: records.hasGiven(row.session, row.seq), whence };
      } else if (row?.kind === "meta" && !hasStoreId) {
        hasStoreId = true;
        yield row;
      } else if (
        row?.kind === "content" &&
        !erased.contents.has(row.row.hash) &&
        contents.get(row.row.hash) === undefined
      ) {
        if (!isProvenContent(row.row, work.places)) {
          yield* brokenRow(work, index, "a content in it is not whole");
          continue;
        }
        contents.set(row.row.hash, index);
        counts.contents++;
        yield { ...row, whence };
      }
    }
  }
}

/**
 * Once for a page, and only for pages in use: in images that are hidden or free, rows whose overflow pages
 * were used again are no damage.
 */
function* brokenRow({ images, survey, map }: Work, index: number, why: string): Generator<SalvagedRow> {
  const { page, whence } = images.at(index);
  const use = map.useOf(page);
  if (whence !== "current" || use === "free" || use === "other" || survey.broken.has(page)) return;
  survey.broken.add(page);
  yield { kind: "broken", page, why };
}

function split(indexes: readonly number[], at: number): [number[], number[]] {
  return [indexes.filter((index) => index < at), indexes.filter((index) => index >= at)];
}
