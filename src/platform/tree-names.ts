/**
 * The few things that may be done to a name in the user's tree (W3). Each takes a name reached through its parent's
 * descriptor (descriptor-walk.ts), follows no link, and none can end the last name of bytes it was not told to end:
 * a file comes under a name only by link, which fails where something is, and leaves one only by a rename to a
 * name of ours. Nothing here looks at contents: whoever calls knows what is where.
 */
import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fsyncSync,
  lchownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { RefloatError } from "../model/errors.ts";
import { fileSystemOf } from "./file-system.ts";
import { errnoOf } from "./io-error.ts";
import { randomId } from "./random.ts";

/** Whose a new file is to be; null: whoever makes it. */
export interface FileOwner {
  readonly uid: number;
  readonly gid: number;
}

export interface NewFile {
  readonly mode: number;
  readonly owner: FileOwner | null;
  readonly pieces: AsyncIterable<Uint8Array>;
}

const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
const PRIVATE = 0o600;

/** Written, not yet on disk. */
export interface UnsyncedFile {
  /** On disk when it returns. */
  sync(): void;
  close(): void;
}

/**
 * A whole new file; nobody else can read it before its permission bits are set. The caller syncs it: a handful
 * written first and synced together costs little more than one.
 */
export async function createWhole(at: Buffer, { mode, owner, pieces }: NewFile): Promise<UnsyncedFile> {
  const fd = openSync(at, CREATE, PRIVATE);
  try {
    for await (const piece of pieces) writeAll(fd, piece);
    if (owner) giveTo(owner, (uid, gid) => fchownSync(fd, uid, gid));
    // After the owner: giving a file away takes its set-id bits.
    fchmodSync(fd, mode);
  } catch (thrown) {
    closeSync(fd);
    throw thrown;
  }
  return { sync: () => fsyncSync(fd), close: () => closeSync(fd) };
}

export function createSymlink(at: Buffer, target: Buffer, owner: FileOwner | null): void {
  symlinkSync(target, at);
  if (owner) giveTo(owner, (uid, gid) => lchownSync(at, uid, gid));
}

/** Out of the way, whatever it is. `to` is a name of ours that nothing has. */
export function moveAside(from: Buffer, to: Buffer): "moved" | "missing" {
  if (lstatSync(to, { throwIfNoEntry: false }))
    throw new RefloatError("E_INTERNAL", { why: "a name kept free for an act is taken" });
  try {
    renameSync(from, to);
    return "moved";
  } catch (thrown) {
    if (errnoOf(thrown) === "ENOENT") return "missing";
    throw thrown;
  }
}

/** The kernel lets nobody move it: marked immutable, a mount point, another's in a sticky folder. */
const BARS: ReadonlySet<string> = new Set(["EPERM", "EACCES", "EBUSY"]);

/** For what is somebody else's: that it may not be moved is an answer. */
export function tryMoveAside(from: Buffer, to: Buffer): "moved" | "missing" | "barred" {
  try {
    return moveAside(from, to);
  } catch (thrown) {
    if (BARS.has(errnoOf(thrown) ?? "")) return "barred";
    throw thrown;
  }
}

/** A second name for a file or a link; never over anything. */
export function linkName(from: Buffer, to: Buffer): "linked" | "taken" {
  try {
    linkSync(from, to);
    return "linked";
  } catch (thrown) {
    if (errnoOf(thrown) === "EEXIST") return "taken";
    throw thrown;
  }
}

/** A folder back to its name: over nothing but an empty folder, which is the same. */
export function moveFolderBack(from: Buffer, to: Buffer): "moved" | "taken" {
  try {
    renameSync(from, to);
    return "moved";
  } catch (thrown) {
    const code = errnoOf(thrown);
    if (code === "ENOTDIR" || code === "EEXIST" || code === "ENOTEMPTY") return "taken";
    throw thrown;
  }
}

/** One name less. The caller has proved that its bytes are held elsewhere. */
export function dropName(at: Buffer): void {
  try {
    unlinkSync(at);
  } catch (thrown) {
    if (errnoOf(thrown) !== "ENOENT") throw thrown;
  }
}

/** `mode` exactly, whatever the umask. */
export function makeFolder(at: Buffer, mode: number, owner: FileOwner | null): "made" | "taken" {
  try {
    mkdirSync(at, { mode });
  } catch (thrown) {
    if (errnoOf(thrown) === "EEXIST") return "taken";
    throw thrown;
  }
  const fd = openSync(at, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    if (owner) giveTo(owner, (uid, gid) => fchownSync(fd, uid, gid));
    fchmodSync(fd, mode);
  } finally {
    closeSync(fd);
  }
  return "made";
}

/** Where hard links are known to work; elsewhere it is tried. */
const WITH_LINKS: ReadonlySet<string> = new Set(["ext", "xfs", "btrfs", "zfs", "tmpfs", "overlayfs", "f2fs"]);

/** Whether a file can get a second name in this folder: without that a swap could not go back without a risk. */
export function canLink(folder: string): boolean {
  if (WITH_LINKS.has(fileSystemOf(folder).name)) return true;
  const from = join(folder, `.refloat-${randomId()}`);
  try {
    closeSync(openSync(from, CREATE, PRIVATE));
    linkSync(from, `${from}-2`);
    return true;
  } catch (thrown) {
    const code = errnoOf(thrown);
    if (code !== "EPERM" && code !== "ENOTSUP" && code !== "EOPNOTSUPP" && code !== "ENOSYS") throw thrown;
    return false;
  } finally {
    dropName(Buffer.from(from));
    dropName(Buffer.from(`${from}-2`));
  }
}

/** Only an empty folder goes. */
export function removeEmptyFolder(at: Buffer): "removed" | "kept" {
  try {
    rmdirSync(at);
    return "removed";
  } catch (thrown) {
    switch (errnoOf(thrown)) {
      case "ENOENT":
        return "removed";
      case "ENOTEMPTY":
      case "EEXIST":
      case "ENOTDIR":
      case "EBUSY":
      case "EACCES":
      case "EPERM":
        return "kept";
      default:
        throw thrown;
    }
  }
}

/** Makes names made, moved and removed in the folder survive a power cut. */
export function syncFolder(at: Buffer): void {
  const fd = openSync(at, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** What the umask leaves of a new folder's permission bits. */
export const newFolderMode = (): number => 0o777 & ~process.umask();

/** Root gives files back to whoever they belong to; others can only give a file to a group of theirs. */
function giveTo({ uid, gid }: FileOwner, give: (uid: number, gid: number) => void): void {
  try {
    give(uid, gid);
  } catch (thrown) {
    // Neither is part of what undo promises (S5); callers refuse a foreign owner beforehand.
    if (errnoOf(thrown) !== "EPERM") throw thrown;
  }
}

function writeAll(fd: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.byteLength; ) at += writeSync(fd, bytes, at, bytes.byteLength - at, null);
}
