/** Two texts as a unified diff, the form that git writes and every viewer reads. Pure. */
import { type DiffLine, diffLines, hunksOf, linesOf } from "./diff-lines.ts";

export interface DiffNames {
  readonly from: string;
  readonly to: string;
}

/** Stands at the end of a last line that has no end: such a line differs from one that has. No text holds a NUL. */
const OPEN = "\0";

/** Names are quoted as git quotes them where a line could not hold them. "": the texts are equal. */
export function unifiedDiff(from: string, to: string, names: DiffNames): string {
  if (from === to) return "";
  const body = hunksOf(diffLines(marked(from), marked(to))).flatMap(({ lines }) => hunkLines(lines));
  const [a, b] = [quoted(`a/${names.from}`), quoted(`b/${names.to}`)];
  return [`diff --git ${a} ${b}`, `--- ${a}`, `+++ ${b}`, ...body, ""].join("\n");
}

function marked(text: string): string[] {
  const lines = linesOf(text);
  return text === "" || text.endsWith("\n") ? lines : [...lines.slice(0, -1), `${lines.at(-1)}${OPEN}`];
}

function hunkLines(lines: readonly DiffLine[]): string[] {
  const [gone, added] = [lines.filter(({ from }) => from !== null), lines.filter(({ to }) => to !== null)];
  const from = range(gone[0]?.from ?? 0, gone.length);
  const to = range(added[0]?.to ?? 0, added.length);
  return [
    `@@ -${from} +${to} @@`,
    ...lines.flatMap(({ kind, text }) =>
      text.endsWith(OPEN)
        ? [`${SIGNS[kind]}${text.slice(0, -1)}`, "\\ No newline at end of file"]
        : [`${SIGNS[kind]}${text}`],
    ),
  ];
}

const SIGNS = { same: " ", gone: "-", new: "+" } as const;

const range = (first: number, count: number): string => (count === 1 ? `${first}` : `${first},${count}`);

/** As git does: what has a quote, a backslash or a control character stands in quotes. */
const quoted = (name: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it is these that a line of a diff cannot hold.
  /["\\\u0000-\u001f\u007f]/.test(name) ? JSON.stringify(name) : name;
