/**
 * What is at a name reached by descriptor, read whole between two equal looks. Synchronous on purpose: between the
 * check of a path and its swap nothing else of this process may run.
 */
import { createHash } from "node:crypto";
import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
} from "node:fs";
import type { ContentHash } from "../../../model/ids.ts";
import { CHUNK_BYTES } from "../../../model/limits.ts";
import { pathForDisplay, pathFromBytes } from "../../../model/path-name.ts";
import type { PathState } from "../../../model/path-state.ts";
import { errnoOf } from "../../../platform/io-error.ts";
import { hashOf } from "../../../store/contract/content-hash.ts";

export type SeenState =
  | { readonly kind: "state"; readonly state: PathState; readonly stat: BigIntStats | null }
  /** Something is there that cannot be held: a fifo, a file nobody may read, one that moves. */
  | { readonly kind: "unreadable"; readonly why: string };

const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const PERMISSIONS = 0o7777n;
const NOTHING: SeenState = { kind: "state", state: null, stat: null };

export function stateAt(at: Buffer): SeenState {
  try {
    const stat = lstatSync(at, { bigint: true, throwIfNoEntry: false });
    if (!stat) return NOTHING;
    const mode = Number(stat.mode & PERMISSIONS);
    if (stat.isDirectory())
      return { kind: "state", state: { kind: "directory", mode, size: 0, hash: null }, stat };
    if (stat.isSymbolicLink()) return linkAt(at, mode, stat);
    if (stat.isFile()) return fileAt(at, mode, stat);
    return { kind: "unreadable", why: "it is neither file nor folder nor link" };
  } catch (thrown) {
    switch (errnoOf(thrown)) {
      case "ENOENT":
        return NOTHING;
      case "EACCES":
      case "EPERM":
        return { kind: "unreadable", why: "no permission to read it" };
      case "EIO":
        return { kind: "unreadable", why: "the disk cannot read it" };
      case "ELOOP":
      case "EINVAL":
      case "ENXIO":
        return moving();
      default:
        throw thrown;
    }
  }
}

function linkAt(at: Buffer, mode: number, stat: BigIntStats): SeenState {
  const target = readlinkSync(at, { encoding: "buffer" }) as unknown as Buffer;
  const shown = pathForDisplay(pathFromBytes(target));
  const state = { kind: "symlink", mode, size: target.length, hash: hashOf(target), target: shown } as const;
  return { kind: "state", state, stat };
}

function fileAt(at: Buffer, mode: number, stat: BigIntStats): SeenState {
  const fd = openSync(at, READ);
  try {
    if (!isSameFile(stat, fstatSync(fd, { bigint: true }))) return moving();
    const whole = createHash("sha256");
    const buffer = Buffer.allocUnsafeSlow(Math.min(CHUNK_BYTES, Number(stat.size) + 1));
    let size = 0;
    for (let read = 1; read > 0; ) {
      read = readSync(fd, buffer, 0, buffer.length, null);
      whole.update(buffer.subarray(0, read));
      size += read;
    }
    if (!isSameFile(stat, fstatSync(fd, { bigint: true })) || BigInt(size) !== stat.size) return moving();
    const hash = whole.digest("hex") as ContentHash;
    return { kind: "state", state: { kind: "file", mode, size, hash }, stat };
  } finally {
    closeSync(fd);
  }
}

/** Not the time of the inode's own change: giving it another name changes that. */
function isSameFile(a: BigIntStats, b: BigIntStats): boolean {
  return (
    a.dev === b.dev && a.ino === b.ino && a.mode === b.mode && a.size === b.size && a.mtimeNs === b.mtimeNs
  );
}

const moving = (): SeenState => ({ kind: "unreadable", why: "it changes while it is read" });
