/**
 * A screen's rows as words: without what was drawn for the eye. Only rules that hold for every program: frames of
 * box-drawing characters, bars of blocks, spinners of Braille dots, and the empty rows between.
 */

/** Box drawing, blocks, Braille: nobody writes words with them. */
const DRAWN = /^[\s\u2500-\u259f\u2800-\u28ff]*$/u;
/** A frame's upper or lower edge, with a title in it. */
const TITLED_EDGE = /^\s*[\u2500-\u257f]+\s*(\S.*?)\s*[\u2500-\u257f]{3,}\s*$/u;
/** A frame's left and right edge: one bar, and the space that keeps the text off it. */
const LEFT_EDGE =
  /^\s*[\u2502\u2503\u2551\u2506\u2507\u250a\u250b\u254e\u254f\u2588\u258c\u258f\u2590\u2595] ?/u;
const RIGHT_EDGE =
  /\s*[\u2502\u2503\u2551\u2506\u2507\u250a\u250b\u254e\u254f\u2588\u258c\u258f\u2590\u2595]+\s*$/u;
/** Dots of Braille, or a bar of squares. */
const SPINNER = /^(\s*)(?:[\u2800-\u28ff]+|[\u25a0\u25a1\u25aa\u25ab\u25b0\u25b1\u2b1d]{3,})\s+/u;

/** Pure. No empty line at either end, and never two in a row. */
export function tidyScreen(rows: readonly string[]): string[] {
  const tidy: string[] = [];
  for (const row of rows) {
    const words = wordsOf(row);
    if (words !== "" || (tidy.at(-1) ?? "") !== "") tidy.push(words);
  }
  if (tidy.at(-1) === "") tidy.pop();
  return tidy;
}

function wordsOf(row: string): string {
  if (DRAWN.test(row)) return "";
  const titled = TITLED_EDGE.exec(row)?.[1];
  if (titled !== undefined) return titled;
  return row.replace(LEFT_EDGE, "").replace(RIGHT_EDGE, "").replace(SPINNER, "$1").trimEnd();
}
