/**
 * What one edit makes of a text that is known whole. What comes out is compared with the file by its hash, so a replay that went another
 * way than the tool did proves nothing, and harms nothing. Pure.
 */
import type { KeptEdit, PatchHunk, RecordedEdit } from "../../model/recorded-edit.ts";

/** Null: there is no file. */
export type FileText = string | null;

/** What an edit leaves at each path it speaks of. Undefined: not every byte is known, before or after it. */
export function afterEdit(
  edit: RecordedEdit | KeptEdit,
  was: FileText | undefined,
): readonly (readonly [path: string, text: FileText | undefined])[] {
  const { path } = edit;
  switch (edit.kind) {
    case "write":
      return [[path, edit.after]];
    case "delete":
      return [[path, null]];
    case "move":
      return [
        [edit.to, was],
        [path, null],
      ];
    case "read":
      return [];
    case "unknown":
      return [[path, undefined]];
    case "append":
      return [[path, was === undefined ? undefined : (was ?? "") + edit.text]];
    case "replace":
      return [[path, afterReplace(edit, was)]];
    case "insert":
      return [
        [path, isPlain(edit, was, edit.text) && typeof was === "string" ? inserted(was, edit) : undefined],
      ];
    case "patch":
      return [
        [path, isPlain(edit, was, "") && typeof was === "string" ? patched(was, edit.hunks) : undefined],
      ];
  }
}

const BYTE_ORDER_MARK = "\uFEFF";

/** A source that loses line ends has them from a tool that gives a file its own again: one that has only CRLF keeps them. */
function afterReplace(
  edit: Extract<RecordedEdit, { kind: "replace" }>,
  was: FileText | undefined,
): FileText | undefined {
  const isAsItIs = isPlain(edit, was, edit.old + edit.new);
  if (was === undefined || isAsItIs) return isAsItIs ? replaced(was ?? "", edit) : undefined;
  if (was === null || !isOnlyCrlf(was) || !isPlain(edit, "", edit.old + edit.new)) return undefined;
  return replaced(was.replaceAll("\r\n", "\n"), edit)?.replaceAll("\n", "\r\n");
}

const isOnlyCrlf = (text: string): boolean =>
  !text.startsWith(BYTE_ORDER_MARK) && !/\r(?!\n)|(?<!\r)\n/.test(text);

/** Where the source made LF of every line's end, nothing is lost of a text that has no others, nor a byte order mark. */
function isPlain({ areLineEndsLost }: RecordedEdit, was: FileText | undefined, put: string): boolean {
  if (was === undefined) return false;
  return (
    !areLineEndsLost ||
    ![was ?? "", put].some((text) => text.includes("\r") || text.startsWith(BYTE_ORDER_MARK))
  );
}

function replaced(text: string, edit: Extract<RecordedEdit, { kind: "replace" }>): string | undefined {
  // Into an empty file, or one that was not there.
  if (edit.old === "") return text === "" ? edit.new : undefined;
  // Taken out with the line's end behind it, by a tool that says nothing of it.
  if (edit.mayTakeEnd && text.includes(`${edit.old}\n`)) return undefined;
  const pieces = text.split(edit.old);
  const isFound = pieces.length === 2 || (edit.everywhere && pieces.length > 2);
  return isFound ? pieces.join(edit.new) : undefined;
}

function inserted(
  text: string,
  { afterLine, text: put }: { readonly afterLine: number; readonly text: string },
): string {
  const lines = text.split("\n");
  return [...lines.slice(0, afterLine), put, ...lines.slice(afterLine)].join("\n");
}

/** Undefined: the text has no place for it. */
function patched(text: string, hunks: readonly PatchHunk[]): string | undefined {
  const lines = text === "" ? [] : text.replace(/\n$/, "").split("\n");
  let from = 0;
  for (const { below, lines: changed, isAtEnd } of hunks) {
    for (const line of below) {
      const at = lines.indexOf(line, from);
      if (at === -1) return undefined;
      from = at + 1;
    }
    const old = changed.filter(({ sign }) => sign !== "+").map((line) => line.text);
    const put = changed.filter(({ sign }) => sign !== "-").map((line) => line.text);
    const at =
      old.length === 0 ? (below.length > 0 ? from : lines.length) : placeOf(lines, old, { from, isAtEnd });
    if (at === -1) return undefined;
    lines.splice(at, old.length, ...put);
    from = at + put.length;
  }
  return lines.length === 0 ? "" : `${lines.join("\n")}\n`;
}

function placeOf(
  lines: readonly string[],
  old: readonly string[],
  { from, isAtEnd }: { readonly from: number; readonly isAtEnd: boolean | undefined },
): number {
  const isAt = (at: number): boolean => old.every((line, nth) => lines[at + nth] === line);
  const last = lines.length - old.length;
  if (isAtEnd) return last >= from && isAt(last) ? last : -1;
  for (let at = from; at <= last; at++) if (isAt(at)) return at;
  return -1;
}
