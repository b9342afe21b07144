/**
 * A unified diff as rows of two sides, by diff2html's parser and its matching of lines. In a file of its own, which only who looks at a diff
 * loads; it makes no HTML: what is drawn is drawn as text.
 */
import { parse } from "diff2html/lib-esm/diff-parser.js";
import { LineType } from "diff2html/lib-esm/types.js";

export interface DiffCell {
  readonly n: number | null;
  readonly text: string;
  readonly kind: "same" | "gone" | "new" | "none";
}

export interface DiffBlock {
  readonly head: string;
  readonly rows: readonly (readonly [DiffCell, DiffCell])[];
}

const NONE: DiffCell = { n: null, text: "", kind: "none" };

export function diffBlocks(unified: string): DiffBlock[] {
  const [file] = parse(unified);
  return (file?.blocks ?? []).map(({ header, lines }) => {
    const rows: [DiffCell, DiffCell][] = [];
    let [gone, added]: [DiffCell[], DiffCell[]] = [[], []];
    // What goes and what comes in its place stand side by side, from the first line on.
    const flush = (): void => {
      for (let i = 0; i < Math.max(gone.length, added.length); i++)
        rows.push([gone[i] ?? NONE, added[i] ?? NONE]);
      [gone, added] = [[], []];
    };
    for (const { type, content, oldNumber, newNumber } of lines) {
      const text = content.slice(1);
      if (type === LineType.DELETE) gone.push({ n: oldNumber ?? null, text, kind: "gone" });
      else if (type === LineType.INSERT) added.push({ n: newNumber ?? null, text, kind: "new" });
      else {
        flush();
        rows.push([
          { n: oldNumber ?? null, text, kind: "same" },
          { n: newNumber ?? null, text, kind: "same" },
        ]);
      }
    }
    flush();
    return { head: header, rows };
  });
}
