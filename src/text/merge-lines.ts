/**
 * Three texts merged line by line: what one side changed is taken, where both changed the same or neighbouring lines there
 * is no answer. Pure. A line carries its own line break, so that the last one's absence is a difference like any other.
 */
import { diffLines } from "./diff-lines.ts";

interface Edit {
  /** Lines of the base it replaces, from inclusive, to exclusive. */
  readonly from: number;
  readonly to: number;
  readonly lines: readonly string[];
}

/** Null: both sides changed the same place, and not in the same way. */
export function mergeLines(
  base: readonly string[],
  ours: readonly string[],
  theirs: readonly string[],
): string[] | null {
  const edits = [...editsOf(base, ours), ...editsOf(base, theirs)].sort(
    (a, b) => a.from - b.from || a.to - b.to,
  );
  const merged: string[] = [];
  let at = 0;
  let last: Edit | null = null;
  for (const edit of edits) {
    if (last && isSame(last, edit)) continue;
    // Neighbouring lines count as the same place: nobody can tell whether they belong together.
    if (last && edit.from <= last.to) return null;
    merged.push(...base.slice(at, edit.from), ...edit.lines);
    at = edit.to;
    last = edit;
  }
  return [...merged, ...base.slice(at)];
}

/** Whether both sides changed a line of the base; else they only come too near to each other to be told apart. */
export function changeSameLines(
  base: readonly string[],
  ours: readonly string[],
  theirs: readonly string[],
): boolean {
  const others = editsOf(base, theirs);
  return editsOf(base, ours).some((a) => others.some((b) => a.from < b.to && b.from < a.to));
}

/** Each line with its line break. */
export function wholeLines(text: string): string[] {
  return text === "" ? [] : text.split(/(?<=\n)/);
}

function editsOf(base: readonly string[], side: readonly string[]): Edit[] {
  const edits: { from: number; to: number; lines: string[] }[] = [];
  let at = 0;
  let open: { from: number; to: number; lines: string[] } | null = null;
  for (const line of diffLines(base, side)) {
    if (line.kind === "same") {
      at++;
      open = null;
      continue;
    }
    if (!open) {
      open = { from: at, to: at, lines: [] };
      edits.push(open);
    }
    if (line.kind === "new") open.lines.push(line.text);
    else open.to = ++at;
  }
  return edits;
}

const isSame = (a: Edit, b: Edit): boolean =>
  a.from === b.from &&
  a.to === b.to &&
  a.lines.length === b.lines.length &&
  a.lines.every((line, i) => line === b.lines[i]);
