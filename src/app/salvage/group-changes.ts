/**
 * What a group changes, file by file, as a unified diff: of a file that was dirty before, the session's part (DESIGN 7). Without
 * secrets (T4): they are taken out of both sides before these are compared. Reads only.
 */
import { RefloatError } from "../../model/errors.ts";
import { MAX_DIFFED_BYTES, MAX_DIFFED_FILES, MAX_PICTURE_BYTES } from "../../model/limits.ts";
import { type PathJson, pathJson } from "../../model/path-name.ts";
import type { PathState } from "../../model/path-state.ts";
import type { Salvage } from "../../salvage/judging/salvage.ts";
import { byBeginning } from "../../text/by-beginning.ts";
import { type FileKind, fileKindOf } from "../../text/file-kind.ts";
import { redact } from "../../text/redact.ts";
import { textOf } from "../../text/text-of.ts";
import { unifiedDiff } from "../../text/unified-diff.ts";
import type { FileSide } from "../../triage/facts/known/triage-facts.ts";
import type { Group } from "../../triage/verdict/group.ts";
import type { Change } from "../../workspace/compare/states.ts";

export interface ChangedFile extends PathJson {
  readonly kind: Change["kind"];
  readonly from: PathState;
  readonly to: PathState;
  /** Null: there are no lines to show; `why` says it. */
  readonly unified: string | null;
  readonly why: "binary" | "too-large" | "not-held" | "no-file" | null;
  /** How many secrets were taken out. */
  readonly redacted: number;
  /** What each side is, where one of them is no text; null: there is no file, it is text, or it was not read. */
  readonly binary?: { readonly before: FileKind | null; readonly after: FileKind | null };
}

export interface GroupChanges {
  readonly group: string;
  readonly files: readonly ChangedFile[];
  /** Files that are not among them (T5). */
  readonly left_out: number;
}

/** `typed`: the group's id, or the beginning of it. */
export async function groupChanges(
  { groups, bytesOf }: Pick<Salvage, "groups" | "bytesOf">,
  typed: string,
): Promise<GroupChanges> {
  const group = theGroup(groups, typed);
  const shown = group.changes.slice(0, MAX_DIFFED_FILES);
  const files: ChangedFile[] = [];
  for (const { change } of shown) files.push(await changedFile(change, bytesOf));
  return { group: group.id, files, left_out: group.changes.length - shown.length };
}

function theGroup(groups: readonly Group[], typed: string): Group {
  const [one, ...others] = byBeginning(groups, typed, ({ id }) => id);
  if (!one || others.length > 0) throw new RefloatError("E_NO_GROUP", { what: typed });
  return one;
}

export interface SidePicture {
  readonly type: NonNullable<FileKind["picture"]>;
  readonly bytes: Uint8Array;
}

/** `file`: its place among the group's files. Null: it is no picture that a browser may be given (T3). */
export async function pictureOf(
  { groups, bytesOf }: Pick<Salvage, "groups" | "bytesOf">,
  { group: typed, file, side }: { readonly group: string; readonly file: number; readonly side: FileSide },
): Promise<SidePicture | null> {
  const found = theGroup(groups, typed).changes[file];
  const state = side === "before" ? found?.change.from : found?.change.to;
  if (!found || state?.kind !== "file" || state.size > MAX_PICTURE_BYTES) return null;
  const bytes = await bytesOf(found.change, side);
  const picture = bytes && fileKindOf(bytes).picture;
  return picture ? { type: picture, bytes } : null;
}

async function changedFile(change: Change, bytesOf: Salvage["bytesOf"]): Promise<ChangedFile> {
  const { path, kind, from, to } = change;
  const about = { ...pathJson(path), kind, from, to };
  const [before, after] = [await sideOf(change, "before", bytesOf), await sideOf(change, "after", bytesOf)];
  const why = before.why ?? after.why;
  if (why !== null) {
    const binary = { before: before.is, after: after.is };
    const isNamed = binary.before !== null || binary.after !== null;
    return { ...about, unified: null, why, redacted: 0, ...(isNamed ? { binary } : {}) };
  }
  const unified = unifiedDiff(before.text, after.text, {
    from: pathJson(change.fromPath ?? path).path,
    to: pathJson(path).path,
  });
  return { ...about, unified, why: null, redacted: before.redacted + after.redacted };
}

interface Side {
  readonly text: string;
  readonly redacted: number;
  readonly why: ChangedFile["why"];
  /** Of what is no text. */
  readonly is: FileKind | null;
}

const without = (why: NonNullable<ChangedFile["why"]>, is: FileKind | null = null): Side => ({
  ...{ text: "", redacted: 0 },
  ...{ why, is },
});

async function sideOf(change: Change, side: FileSide, bytesOf: Salvage["bytesOf"]): Promise<Side> {
  const state = side === "before" ? change.from : change.to;
  if (state === null) return { text: "", redacted: 0, why: null, is: null };
  if (state.kind !== "file") return without("no-file");
  if (state.size > MAX_PICTURE_BYTES) return without("too-large");
  const bytes = await bytesOf(change, side);
  if (bytes === null) return without("not-held");
  const text = textOf(bytes);
  if (text === null) return without("binary", fileKindOf(bytes));
  if (state.size > MAX_DIFFED_BYTES) return without("too-large");
  const clean = await redact(text);
  return { text: clean.text, redacted: clean.found.length, why: null, is: null };
}
