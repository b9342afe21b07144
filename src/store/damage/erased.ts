/**
 * Contents that `forget` erased, or was erasing when it was killed (D2). It empties the log when it is done, so
 * normally nothing of them is left in any file. But killed between its commit and that, older images still
 * hold the bytes. A content is erased when a forgotten record named it and no other record does.
 *
 * Needs more walks over the leaves, but only where something was forgotten and left a trace.
 */
import type { ContentHash } from "../../model/ids.ts";
import { rowsOfImage } from "./image-rows.ts";
import type { Images } from "./pages/images.ts";
import type { ProvenRow } from "./proven-row.ts";
import type { RowShape } from "./row-shape.ts";
import { breathe, type Survey } from "./survey.ts";

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
