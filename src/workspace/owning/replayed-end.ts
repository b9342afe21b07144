/**
 * Whether a file is what the recorded edits of a session make of what HEAD has, or of a whole file that one of them wrote (S3). Every
 * edit that ended well is repeated in order, and the bytes at the end must be the file's: an edit that did something else, a person's line in
 * between, a command that changed more, half a write: each of them leads to other bytes, and then nothing is proven.
 *
 * By time nothing is proven, however late the end record and however early the file's own times (D3): a person's unfinished line that was
 * there before a command, or came while it ran, is older than the end, too.
 */
import { createHash } from "node:crypto";
import { REPLAYED_CHARS, REPLAYED_EDITS } from "../../model/limits.ts";
import type { PathName } from "../../model/path-name.ts";
import type { KeptEdit } from "../../model/recorded-edit.ts";
import { afterEdit, type FileText } from "./replay-edit.ts";
import type { TrackedCall } from "./track.ts";

/** What HEAD has; undefined: it cannot be read as a text. */
export type HeadText = FileText | undefined;

interface FileNow {
  readonly path: PathName;
  readonly hash: string;
}

/** Calls that changed the file for certain, by their own word, in the order in which they ended. */
export const editingCalls = (path: PathName, calls: readonly TrackedCall[]): readonly TrackedCall[] =>
  calls
    .filter(({ mayWrite, heard }) => mayWrite && heard?.isDone === true && heard.edits.has(path))
    .toSorted((a, b) => (a.endedSeq ?? 0) - (b.endedSeq ?? 0));

export function isReplayed({ path, hash }: FileNow, head: HeadText, calls: readonly TrackedCall[]): boolean {
  const editing = editingCalls(path, calls);
  const last = editing.at(-1);
  if (!last) return false;
  const wrote = last.heard?.wrote.get(path);
  // What it says that it left is a better word than what it was told to do.
  if (wrote !== undefined) return wrote === hash;
  if (last.heard?.leftPlain.get(path) === hash && hasPlainEnds(head)) return true;
  const commits = calls.filter(({ heard }) => heard?.isDone && heard.commits);
  return replayed(path, head, { editing, commits }).some((text) => text !== null && sha256(text) === hash);
}

/** A file with other ends of lines than LF does not lose them by an edit: whoever has it without them changed it otherwise. */
const hasPlainEnds = (head: HeadText): boolean =>
  head === null || (head !== undefined && !head.includes("\r") && !head.startsWith("\uFEFF"));

interface Followed {
  readonly editing: readonly TrackedCall[];
  /** Calls after which HEAD may have what the edits before them made. */
  readonly commits: readonly TrackedCall[];
}

/** What the file can be: from HEAD through all of them, and from HEAD as the session's own commits left it through those that came after. */
function replayed(path: PathName, head: HeadText, { editing, commits }: Followed): readonly FileText[] {
  let texts: readonly FileText[] = head === undefined ? [] : [head];
  let count = 0;
  let before = -1;
  for (const { heard, startedSeq } of editing) {
    const hasCommitted = commits.some(
      ({ endedSeq }) => (endedSeq ?? 0) > before && (endedSeq ?? 0) < startedSeq,
    );
    if (hasCommitted && before >= 0 && head !== undefined) texts = [...new Set([...texts, head])];
    before = startedSeq;
    for (const edit of heard?.edits.get(path) ?? []) {
      count += Math.max(1, texts.length);
      if (count > REPLAYED_EDITS) return [];
      // A whole file is known from here on, whatever was there.
      const was: readonly HeadText[] = texts.length === 0 ? [undefined] : texts;
      texts = [...new Set(was.map((text) => afterOne(edit, text)))].filter(isFollowed);
    }
  }
  return texts;
}

const isFollowed = (text: HeadText): text is FileText =>
  text !== undefined && (text === null || text.length <= REPLAYED_CHARS);

/** Each edit is of this file, whatever name its call had for it. */
const afterOne = (edit: KeptEdit, was: HeadText): HeadText =>
  afterEdit(edit, was).find(([path]) => path === edit.path)?.[1];

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
