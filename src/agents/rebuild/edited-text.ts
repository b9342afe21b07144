/**
 * What a finished edit made of a text that is known to the byte. Null wherever the tool may have done something else than the record says:
 * the text is not found as the tool demands, or line ends, marks or signs are there that tools treat in their own way. Pure.
 */
import type { PatchHunk, RecordedEdit } from "../words/recorded-edit.ts";

type Replace = Extract<RecordedEdit, { kind: "replace" }>;

const BYTE_ORDER_MARK = "\ufeff";

/** As every tool reads and writes it: no carriage return, no byte order mark, nothing that UTF-8 has no bytes for. */
export const isPlainText = (text: string): boolean =>
  !text.includes("\r") && !text.startsWith(BYTE_ORDER_MARK) && text.isWellFormed();

/** Two texts that differ in line ends and byte order mark only are one to those who lose both. */
export const withoutEnds = (text: string): string =>
  (text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text).replaceAll("\r\n", "\n");

/** Half of what could not be read as UTF-8 is gone: such a text was never the file's. */
export const isReadWhole = (text: string): boolean => !text.includes("\ufffd") && text.isWellFormed();

/** `hunks`: `first`: a hunk is where it fits first, as who applies them looks for it. `only`: it must fit at one place. */
export function editedText(
  text: string,
  edits: readonly RecordedEdit[],
  { hunks }: { readonly hunks: "first" | "only" },
): string | null {
  // Who loses line ends gives a file that has only others its own again.
  const isOther = !isPlainText(text) && isOnlyCrlf(text);
  if (isOther && !edits.every(({ kind, areLineEndsLost }) => kind === "replace" && areLineEndsLost === true))
    return null;
  let now: string | null = isOther ? withoutEnds(text) : text;
  for (const edit of edits) {
    if (now === null || !isPlainText(now)) return null;
    if (edit.kind === "replace") now = replaced(now, edit);
    else if (edit.kind === "patch") now = patched(now, edit.hunks, hunks);
    else return null;
  }
  return isOther && now !== null ? now.replaceAll("\n", "\r\n") : now;
}

const isOnlyCrlf = (text: string): boolean =>
  text.includes("\r\n") && !text.startsWith(BYTE_ORDER_MARK) && !/\r(?!\n)|(?<!\r)\n/.test(text);

function replaced(text: string, { old, new: put, everywhere, mayTakeEnd }: Replace): string | null {
  if (old === "" || !isPlainText(old) || !isPlainText(put)) return null;
  const at = text.indexOf(old);
  if (at === -1) return null;
  if (mayTakeEnd === true && text.includes(`${old}\n`)) return null;
  // Some let `$&` and its like mean something there.
  if (everywhere) return put.includes("$") ? null : text.replaceAll(old, put);
  return text.includes(old, at + 1) ? null : text.slice(0, at) + put + text.slice(at + old.length);
}

/** Who applies the agents' own form gives a text without a last line feed one; of a diff that was made to be looked at nobody knows. */
function patched(text: string, hunks: readonly PatchHunk[], how: "first" | "only"): string | null {
  const isEnded = text === "" || text.endsWith("\n");
  if (hunks.length === 0 || (!isEnded && how === "only")) return null;
  const lines = isEnded ? text.split("\n").slice(0, -1) : text.split("\n");
  const made: string[] = [];
  let from = 0;
  for (const hunk of hunks) {
    const { before, after } = sidesOf(hunk);
    const at = placeOf(lines, hunk, before, from, how);
    if (at === null || [...before, ...after].some((line) => !isPlainText(line))) return null;
    made.push(...lines.slice(from, at), ...after);
    from = at + before.length;
  }
  const all = [...made, ...lines.slice(from)];
  return all.length === 0 ? null : `${all.join("\n")}\n`;
}

const sidesOf = ({
  lines,
}: PatchHunk): { readonly before: readonly string[]; readonly after: readonly string[] } => ({
  before: lines.filter(({ sign }) => sign !== "+").map(({ text }) => text),
  after: lines.filter(({ sign }) => sign !== "-").map(({ text }) => text),
});

/** Null: nowhere, or not at one place only. A hunk that keeps and takes nothing goes to the end in one form and elsewhere in others. */
function placeOf(
  lines: readonly string[],
  { below, isAtEnd }: PatchHunk,
  before: readonly string[],
  from: number,
  how: "first" | "only",
): number | null {
  if (before.length === 0) return null;
  let start = from;
  for (const line of below) {
    const found = lines.indexOf(line, start);
    if (found === -1) return null;
    start = found + 1;
  }
  if (isAtEnd === true) {
    const at = lines.length - before.length;
    return at >= start && fitsAt(lines, before, at) ? at : null;
  }
  const first = firstFit(lines, before, start);
  if (first === null || how === "first") return first;
  return firstFit(lines, before, first + 1) === null && firstFit(lines, before, 0) === first ? first : null;
}

function firstFit(lines: readonly string[], wanted: readonly string[], from: number): number | null {
  for (let at = from; at + wanted.length <= lines.length; at++) if (fitsAt(lines, wanted, at)) return at;
  return null;
}

const fitsAt = (lines: readonly string[], wanted: readonly string[], at: number): boolean =>
  wanted.every((line, i) => lines[at + i] === line);

/** Whether lines that a read showed stand there. The last one may have been cut, and very long ones are by some. */
export function showsLines(text: string, shown: string, fromLine: number): boolean {
  const lines = withoutEnds(text).split("\n");
  const read = withoutEnds(shown).replace(/\n$/, "").split("\n");
  return read.every((line, i) => {
    const own = lines[fromLine - 1 + i] ?? (fromLine - 1 + i === lines.length ? "" : null);
    if (own === null) return false;
    return own === line || line.length >= CUT_CHARS || (i === read.length - 1 && own.startsWith(line));
  });
}

const CUT_CHARS = 1500;
