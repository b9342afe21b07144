/** Lines that differ, for a screen: one column with line numbers, or two side by side where there is room. */
import { type DiffLine, diffLines, hunksOf, linesOf } from "../../text/diff-lines.ts";
import { escapeForTerminal } from "../../text/escape.ts";
import { padToWidth, truncateToWidth, wrapToWidth } from "../../text/width.ts";
import type { Style } from "./style.ts";

export interface DiffLayout {
  readonly columns: number;
  readonly style: Style;
  readonly isSplit: boolean;
}

const NUMBER = 5;

export function diffText(from: string, to: string, layout: DiffLayout): string[] {
  const hunks = hunksOf(diffLines(linesOf(from), linesOf(to)));
  const shown = hunks.map(({ lines }) =>
    layout.isSplit ? splitLines(lines, layout) : unifiedLines(lines, layout),
  );
  const gap = layout.style.dim(`${" ".repeat(NUMBER)}   ...`);
  const ends = endsAlike(from, to)
    ? []
    : [layout.style.dim(`${" ".repeat(NUMBER)}   (the line break at the end differs)`)];
  return [...shown.flatMap((lines, i) => (i === 0 ? lines : [gap, ...lines])), ...ends];
}

const endsAlike = (a: string, b: string): boolean =>
  a === "" || b === "" || a.endsWith("\n") === b.endsWith("\n");
const safe = (text: string): string => escapeForTerminal(text, { newlines: "show" });
const number = (n: number | null): string => String(n ?? "").padStart(NUMBER);

function unifiedLines(lines: readonly DiffLine[], { columns, style }: DiffLayout): string[] {
  return lines.flatMap(({ kind, text, from, to }) => {
    const mark = { same: " ", gone: "-", new: "+" }[kind];
    const paint = { same: (one: string) => one, gone: style.red, new: style.green }[kind];
    const room = columns - NUMBER - 3;
    return wrapToWidth(safe(text), room).map((piece, i) => {
      const gutter = i === 0 ? number(kind === "gone" ? from : to) : " ".repeat(NUMBER);
      return `${style.dim(gutter)} ${paint(`${mark} ${piece}`)}`.trimEnd();
    });
  });
}

/** What went stands beside what came in its place. */
function splitLines(lines: readonly DiffLine[], { columns, style }: DiffLayout): string[] {
  const half = Math.floor((columns - 3) / 2);
  const room = half - NUMBER - 1;
  const cell = (line: DiffLine | undefined, n: number | null, paint: (text: string) => string): string => {
    const text = line ? truncateToWidth(safe(line.text), room) : "";
    const padding = padToWidth(text, room).slice(text.length);
    return `${style.dim(number(n))} ${paint(text)}${padding}`;
  };
  const rows: string[] = [];
  const add = (left: DiffLine | undefined, right: DiffLine | undefined): void => {
    const same = (text: string): string => text;
    const isSame = left?.kind === "same";
    const before = cell(left, left?.from ?? null, isSame ? same : style.red);
    const after = cell(right, right?.to ?? null, isSame ? same : style.green);
    rows.push(`${before} ${style.dim("|")} ${after}`.trimEnd());
  };
  let gone: DiffLine[] = [];
  let came: DiffLine[] = [];
  const flush = (): void => {
    for (let i = 0; i < Math.max(gone.length, came.length); i++) add(gone[i], came[i]);
    gone = [];
    came = [];
  };
  for (const line of lines) {
    if (line.kind === "gone") gone.push(line);
    else if (line.kind === "new") came.push(line);
    else {
      flush();
      add(line, line);
    }
  }
  flush();
  return rows;
}
