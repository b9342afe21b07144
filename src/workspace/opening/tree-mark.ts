/**
 * Which tree lies at a path. A path alone says nothing: a container that starts anew clones to the same one (W8). Inode and birth of
 * git's folder are not enough either: a file system gives the inode of what was just deleted to what is made next, and an overlay gives a
 * folder another birth when it is first written to. So there is a witness: a file git writes once, when it makes the repository
 * or the work tree, known by the time it was written. A copy that keeps times is the same tree, with the same work in it.
 */
import { createHash } from "node:crypto";
import { closeSync, openSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Workspace } from "./workspace.ts";

/** Of the repository, so the same in all its work trees; of a plain folder its own. */
export function treeMark(workspace: Workspace): string {
  if (workspace.kind === "folder") return markOf(workspace.root, null);
  const { commonDir } = workspace.location;
  return markOf(commonDir, witnessOf(commonDir, REPOSITORY_FILES));
}

/** Of this very work tree: one that was removed and added again is another, though its repository is the same. */
export function ownMark(workspace: Workspace): string {
  if (workspace.kind === "folder" || workspace.location.kind !== "linked") return treeMark(workspace);
  const { gitDir } = workspace.location;
  return markOf(gitDir, witnessOf(gitDir, WORK_TREE_FILES));
}

/** Copied from git's template, and nobody's to change. */
const REPOSITORY_FILES = ["description", "info/exclude"];
const WORK_TREE_FILES = ["commondir"];
/** The first line of the log of HEAD: two ids, a name, a time. */
const LINE_BYTES = 1024;
const WITNESS = "w";

function markOf(folder: string, witness: string | null): string {
  const { ino, birthtimeMs } = statSync(folder);
  return markWith({ ino, birthMs: Math.floor(birthtimeMs) }, witness);
}

interface SeenFolder {
  readonly ino: string | number;
  readonly birthMs: number;
}

/** By what somebody else saw of the same files. */
export const markFrom = (folder: SeenFolder, witnessNs: bigint | null): string =>
  markWith(folder, witnessNs === null ? null : witnessNs.toString(36));

function markWith({ ino, birthMs }: SeenFolder, witness: string | null): string {
  const seen = `${ino}:${birthMs}`;
  return witness === null ? seen : `${seen}:${WITNESS}${witness}`;
}

function witnessOf(folder: string, files: readonly string[]): string | null {
  for (const name of files) {
    const stat = statSync(join(folder, name), { bigint: true, throwIfNoEntry: false });
    if (stat) return stat.mtimeNs.toString(36);
  }
  return firstLine(join(folder, "logs/HEAD"));
}

/** Where there is no template: what HEAD first was, and when. */
function firstLine(path: string): string | null {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return null;
  const fd = openSync(path, "r");
  try {
    const buffer = Buffer.alloc(LINE_BYTES);
    const line = buffer.subarray(0, readSync(fd, buffer)).toString("latin1").split("\n")[0] ?? "";
    return line === "" ? null : createHash("sha256").update(line).digest("hex").slice(0, 16);
  } finally {
    closeSync(fd);
  }
}

interface TreeMark {
  readonly ino: string | undefined;
  readonly birth: string | undefined;
  readonly witness: string | null;
}

/** Older records have none, and the device's number before the others, which a reboot may change. */
function parse(mark: string): TreeMark {
  const parts = mark.split(":");
  const witness = parts.at(-1)?.startsWith(WITNESS) ? (parts.pop() ?? null) : null;
  const [ino, birth] = parts.slice(-2);
  return { ino, birth, witness };
}

/** The witness and the birth must differ; without a witness the inode must, too: where one of them is not kept over a mount, the other still tells. */
export function isOtherMark(mark: string, other: string): boolean {
  const [a, b] = [parse(mark), parse(other)];
  if (a.birth === b.birth && a.birth !== "0") return false;
  if (a.witness !== null && b.witness !== null) return a.witness !== b.witness;
  return a.ino !== b.ino && a.birth !== b.birth;
}
