/**
 * What a finished call found and left, by the hashes of whole files: an edit whose bytes are the file's proves its end (S3), and what it
 * found says whether the file was somebody's work already (W5). Only what its own result tells to the byte, so that it is the same in
 * whatever pieces a transcript is read (D4). Pure.
 */
import { createHash } from "node:crypto";
import { afterEdit, type FileText } from "../../workspace/owning/replay-edit.ts";
import type { RecordedEdit } from "../words/recorded-edit.ts";

export interface WrittenFile {
  readonly path: string;
  readonly hash: string;
}

export interface LeftFile extends WrittenFile {
  /** Hashed with LF for every line's end, and without a byte order mark. */
  readonly ends_lost?: true;
}

export interface FoundFile {
  readonly path: string;
  /** Null: there was none. */
  readonly hash: string | null;
  /** Hashed with LF for every line's end, and without a byte order mark. */
  readonly ends_lost?: true;
}

/** Files that are whole after these edits, one after the other. */
export function wroteBy(edits: readonly RecordedEdit[]): readonly WrittenFile[] {
  const texts = new Map<string, FileText | undefined>();
  for (const edit of edits) {
    if (edit.kind === "read") continue;
    const told = beforeOf(edit);
    const was = told === undefined ? texts.get(edit.path) : told;
    for (const [path, text] of afterEdit(edit, was)) texts.set(path, text);
  }
  return [...texts].flatMap(([path, text]) =>
    typeof text === "string" ? [{ path, hash: sha256(text) }] : [],
  );
}

/** The same, and files of which only the ends of lines and a byte order mark are not known. */
export function leftBy(edits: readonly RecordedEdit[]): readonly LeftFile[] {
  const wrote = wroteBy(edits);
  const told = new Set(wrote.map(({ path }) => path));
  const plain = edits.map(({ areLineEndsLost: _, ...edit }): RecordedEdit => edit);
  const lost = wroteBy(plain).filter(({ path }) => !told.has(path));
  return [...wrote, ...lost.map((one) => ({ ...one, ends_lost: true as const }))];
}

/** How each file was found, by the first of the edits there. */
export function foundBy(edits: readonly RecordedEdit[]): readonly FoundFile[] {
  const found = new Map<string, FoundFile>();
  for (const edit of edits) {
    const { path } = edit;
    const before = "before" in edit ? edit.before : undefined;
    if (before === undefined || found.has(path)) continue;
    const isLost = before !== null && edit.areLineEndsLost === true;
    const hash = before === null ? null : sha256(before);
    found.set(path, { path, hash, ...(isLost ? { ends_lost: true as const } : {}) });
  }
  return [...found.values()];
}

/** Undefined: not every byte of it is told. */
function beforeOf(edit: RecordedEdit): FileText | undefined {
  const told = "before" in edit ? edit.before : undefined;
  return told !== null && edit.areLineEndsLost ? undefined : told;
}

export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
