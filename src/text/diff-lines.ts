/**
 * Lines that differ, as a person reads a diff: Myers' shortest edit script, linear where little changed. Bounded
 * (T5): two texts that have hardly a line in common would cost the square of their lengths, and a diff of them
 * says nothing a person wants to know; then the one is shown gone and the other new.
 */
export interface DiffLine {
  readonly kind: "same" | "gone" | "new";
  readonly text: string;
  /** Line numbers from 1; null on the side that does not have the line. */
  readonly from: number | null;
  readonly to: number | null;
}

export interface Hunk {
  readonly lines: readonly DiffLine[];
}

/** Differences looked for before giving up; each step keeps one row of the search. */
const MAX_EDITS = 2000;
const CONTEXT_LINES = 3;

/** Without the line break at the very end; a text that ends without one has a last line all the same. */
export function linesOf(text: string): string[] {
  if (text === "") return [];
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

export function diffLines(from: readonly string[], to: readonly string[]): DiffLine[] {
  let head = 0;
  while (head < from.length && head < to.length && from[head] === to[head]) head++;
  let tail = 0;
  const most = Math.min(from.length, to.length) - head;
  while (tail < most && from[from.length - 1 - tail] === to[to.length - 1 - tail]) tail++;
  const middle = editScript(from.slice(head, from.length - tail), to.slice(head, to.length - tail));
  const same = (text: string, at: number, shift: number): DiffLine => ({
    kind: "same",
    text,
    from: at + 1,
    to: at + 1 + shift,
  });
  const shift = to.length - from.length;
  return [
    ...from.slice(0, head).map((text, i) => same(text, i, 0)),
    ...middle.map((line) => ({
      ...line,
      from: line.from === null ? null : line.from + head,
      to: line.to === null ? null : line.to + head,
    })),
    ...from.slice(from.length - tail).map((text, i) => same(text, from.length - tail + i, shift)),
  ];
}

/** The parts around changes, with a few lines of what stayed. */
export function hunksOf(lines: readonly DiffLine[]): Hunk[] {
  const near = new Array<boolean>(lines.length).fill(false);
  lines.forEach(({ kind }, at) => {
    if (kind === "same") return;
    const last = Math.min(lines.length - 1, at + CONTEXT_LINES);
    for (let i = Math.max(0, at - CONTEXT_LINES); i <= last; i++) near[i] = true;
  });
  const hunks: DiffLine[][] = [];
  lines.forEach((line, at) => {
    if (!near[at]) return;
    if (at === 0 || !near[at - 1]) hunks.push([]);
    hunks.at(-1)?.push(line);
  });
  return hunks.map((found) => ({ lines: found }));
}

function editScript(from: readonly string[], to: readonly string[]): DiffLine[] {
  const trace = search(from, to);
  return trace === null ? replaced(from, to) : backtrack(from, to, trace);
}

const replaced = (from: readonly string[], to: readonly string[]): DiffLine[] => [
  ...from.map((text, i): DiffLine => ({ kind: "gone", text, from: i + 1, to: null })),
  ...to.map((text, i): DiffLine => ({ kind: "new", text, from: null, to: i + 1 })),
];

/** One row of furthest points per number of edits; null: too many. */
function search(from: readonly string[], to: readonly string[]): Int32Array[] | null {
  const [n, m] = [from.length, to.length];
  const most = Math.min(n + m, MAX_EDITS);
  const offset = most + 1;
  const furthest = new Int32Array(2 * offset + 1);
  const trace: Int32Array[] = [];
  for (let edits = 0; edits <= most; edits++) {
    trace.push(furthest.slice(offset - edits - 1, offset + edits + 2));
    for (let k = -edits; k <= edits; k += 2) {
      const [left, right] = [furthest[offset + k - 1] ?? 0, furthest[offset + k + 1] ?? 0];
      let x = k === -edits || (k !== edits && left < right) ? right : left + 1;
      while (x < n && x - k < m && from[x] === to[x - k]) x++;
      furthest[offset + k] = x;
      if (x >= n && x - k >= m) return trace;
    }
  }
  return null;
}

function backtrack(from: readonly string[], to: readonly string[], trace: readonly Int32Array[]): DiffLine[] {
  const lines: DiffLine[] = [];
  let [x, y] = [from.length, to.length];
  for (let edits = trace.length - 1; edits >= 0; edits--) {
    const row = trace[edits] as Int32Array;
    const at = (k: number): number => row[k + edits + 1] ?? 0;
    const k = x - y;
    const isNew = k === -edits || (k !== edits && at(k - 1) < at(k + 1));
    const before = isNew ? k + 1 : k - 1;
    const [fromX, fromY] = edits === 0 ? [0, 0] : [at(before), at(before) - before];
    while (x > fromX && y > fromY) lines.push({ kind: "same", text: from[x - 1] ?? "", from: x--, to: y-- });
    if (edits === 0) break;
    if (isNew) lines.push({ kind: "new", text: to[y - 1] ?? "", from: null, to: y-- });
    else lines.push({ kind: "gone", text: from[x - 1] ?? "", from: x--, to: null });
  }
  return lines.reverse();
}
