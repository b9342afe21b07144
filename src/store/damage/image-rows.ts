/** The rows of the wanted shapes in one image; null for each that does not prove itself. */

import { readRow, scanLeaf } from "./leaf-scan.ts";
import type { Images } from "./pages/images.ts";
import type { ProvenRow } from "./proven-row.ts";
import type { RowShape } from "./row-shape.ts";

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
