/**
 * Rows in columns, fitted to the screen: when they do not fit, the columns that may shrink give up width,
 * the widest first. Cells are text that is safe for a terminal already.
 */
import { displayWidth, padToWidth, truncateToWidth } from "../../text/width.ts";

export interface Column {
  readonly title: string;
  /** May be cut when the row does not fit, but not below its minimum; others are shown whole. */
  readonly shrinkTo?: number;
  readonly paint?: (text: string) => string;
}

const GAP = "  ";

export function tableLines(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  width: number,
  paintTitle: (text: string) => string = (text) => text,
): string[] {
  const widths = fitted(columns, rows, width);
  const line = (cells: readonly string[], paint: (column: Column, cell: string) => string): string =>
    cells
      .map((cell, i) => {
        const room = widths[i] ?? 0;
        const text = truncateToWidth(cell, room);
        // Padding is measured on the plain text; the last cell needs none.
        const padding = i === cells.length - 1 ? "" : padToWidth(text, room).slice(text.length);
        return paint(columns[i] as Column, text) + padding;
      })
      .join(GAP)
      .trimEnd();
  return [
    line(
      columns.map(({ title }) => title),
      (_column, cell) => paintTitle(cell),
    ),
    ...rows.map((cells) => line(cells, (column, cell) => column.paint?.(cell) ?? cell)),
  ];
}

function fitted(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  width: number,
): readonly number[] {
  const widths = columns.map(({ title }, i) =>
    Math.max(displayWidth(title), ...rows.map((row) => displayWidth(row[i] ?? ""))),
  );
  const room = width - GAP.length * (columns.length - 1);
  let over = widths.reduce((sum, one) => sum + one, 0) - room;
  while (over > 0) {
    const widest = widestShrinkable(columns, widths);
    if (widest === null) break; // nothing may shrink any more: the line is as long as it must be
    widths[widest] = (widths[widest] ?? 0) - 1;
    over--;
  }
  return widths;
}

function widestShrinkable(columns: readonly Column[], widths: readonly number[]): number | null {
  let found: number | null = null;
  columns.forEach(({ shrinkTo }, i) => {
    if (shrinkTo === undefined || (widths[i] ?? 0) <= shrinkTo) return;
    if (found === null || (widths[i] ?? 0) > (widths[found] ?? 0)) found = i;
  });
  return found;
}
