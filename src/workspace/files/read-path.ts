/**
 * One path, read whole between two equal stats (W4), or a gap with its reason. Nothing is followed: parents are
 * walked by descriptor (descriptor-walk.ts), the last name is opened with O_NOFOLLOW, and O_NONBLOCK keeps a
 * fifo from stopping us. After the reading the plain name must still lead to the very inode that was read.
 */
import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
  type Stats,
} from "node:fs";
import type { GapReason } from "../../model/capture.ts";
import { CHUNK_BYTES } from "../../model/limits.ts";
import {
  hasGitName,
  type PathName,
  pathForDisplay,
  pathFromBytes,
  pathToBytes,
} from "../../model/path-name.ts";
import type { PathState, PresentState } from "../../model/path-state.ts";
import type { DescriptorWalk } from "../../platform/descriptor-walk.ts";
import { errnoOf } from "../../platform/io-error.ts";
import type { ContentsSink } from "./contents-sink.ts";

/** A path of the workspace as the file system takes it: by its bytes. For looking only; reading goes by descriptor. */
export const pathAt = (root: string, path: PathName): Buffer =>
  Buffer.concat([Buffer.from(`${root}/`), pathToBytes(path)]);

/** What is there, or null. A link is not followed. */
export function lookAt(root: string, path: PathName): Stats | null {
  try {
    return lstatSync(pathAt(root, path), { throwIfNoEntry: false }) ?? null;
  } catch (thrown) {
    // A parent that is a file, or that may not be entered: nothing that can be seen.
    if (errnoOf(thrown) === "EACCES" || errnoOf(thrown) === "ENOTDIR") return null;
    throw thrown;
  }
}

export const isFolderAt = (root: string, path: PathName): boolean =>
  lookAt(root, path)?.isDirectory() ?? false;

export type ReadOutcome =
  | {
      readonly kind: "held";
      readonly state: PathState;
      readonly bytes: number;
      readonly hasHardLinks: boolean;
    }
  | { readonly kind: "gap"; readonly reason: GapReason; readonly detail: string; readonly state: PathState };

export interface ReadOptions {
  readonly walk: DescriptorWalk;
  readonly sink: ContentsSink;
  readonly maxBytes: number;
  readonly tries: number;
  /** Between two tries: whoever writes the file may be done by then. */
  readonly pause: () => Promise<void>;
}

const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const PERMISSIONS = 0o7777n;

export async function readPath(path: PathName, options: ReadOptions): Promise<ReadOutcome> {
  for (let left = options.tries; ; left--) {
    const outcome = await readOnce(path, options);
    if (outcome.kind !== "gap" || outcome.reason !== "moving" || left <= 1) return outcome;
    await options.pause();
    options.walk.refresh();
  }
}

async function readOnce(path: PathName, options: ReadOptions): Promise<ReadOutcome> {
  if (hasGitName(path)) return gap("special", "git keeps that name for itself");
  const bytes = pathToBytes(path);
  const reached = options.walk.reach(bytes);
  if (reached.kind === "unreachable") {
    // Below something that is no folder, or is not there, nothing is.
    return reached.why === "unreadable"
      ? gap("unreadable", "its folder cannot be entered")
      : absent(bytes, options);
  }
  try {
    const before = lstatSync(reached.at, { bigint: true, throwIfNoEntry: false });
    if (!before) return absent(bytes, options);
    if (before.isSymbolicLink()) return await readLink(reached.at, bytes, before, options);
    if (before.isDirectory())
      return held({ ...stateOf(before, "directory"), size: 0, hash: null }, 0, before);
    if (!before.isFile()) return gap("special", specialKind(before));
    return await readFile(reached.at, bytes, before, options);
  } catch (thrown) {
    return gapOf(thrown);
  }
}

async function readLink(
  at: Buffer,
  path: Buffer,
  before: BigIntStats,
  options: ReadOptions,
): Promise<ReadOutcome> {
  const target = readlinkSync(at, { encoding: "buffer" }) as unknown as Buffer;
  if (!isStill(path, before, options)) return moving();
  const hash = await options.sink.add(target);
  const shown = pathForDisplay(pathFromBytes(target));
  return held(
    { ...stateOf(before, "symlink"), size: target.length, hash, target: shown },
    target.length,
    before,
  );
}

async function readFile(
  at: Buffer,
  path: Buffer,
  before: BigIntStats,
  options: ReadOptions,
): Promise<ReadOutcome> {
  const state = { ...stateOf(before, "file"), size: Number(before.size) };
  if (before.size > BigInt(options.maxBytes)) {
    const detail = `${before.size} bytes, the limit is ${options.maxBytes}`;
    return { kind: "gap", reason: "too-large", detail, state: { ...state, hash: null } };
  }
  const fd = openSync(at, READ);
  try {
    if (!isSame(before, fstatSync(fd, { bigint: true }))) return moving();
    const { sink } = options;
    if (state.size <= CHUNK_BYTES) {
      const whole = readUpTo(fd, state.size + 1);
      if (whole.length !== state.size || !isStill(path, before, options, fd)) return moving();
      return held({ ...state, hash: await sink.add(whole) }, state.size, before);
    }
    const hash = await sink.addStream(piecesOf(fd, state.size));
    if (!isStill(path, before, options, fd)) return moving();
    return held({ ...state, hash }, state.size, before);
  } finally {
    closeSync(fd);
  }
}

/** Nothing there: looked for again from the root, because a folder kept open may have been moved away. */
function absent(path: Buffer, { walk }: ReadOptions): ReadOutcome {
  walk.refresh();
  const again = walk.reach(path);
  const isThere = again.kind === "reached" && lstatSync(again.at, { throwIfNoEntry: false }) !== undefined;
  return isThere ? moving() : { kind: "held", state: null, bytes: 0, hasHardLinks: false };
}

/** The descriptor still shows the same file, and so does the name. */
function isStill(path: Buffer, before: BigIntStats, { walk }: ReadOptions, fd?: number): boolean {
  if (fd !== undefined && !isSame(before, fstatSync(fd, { bigint: true }))) return false;
  const named = lstatSync(walk.plain(path), { bigint: true, throwIfNoEntry: false });
  return named !== undefined && isSame(before, named);
}

function isSame(a: BigIntStats, b: BigIntStats): boolean {
  return (
    a.dev === b.dev &&
    a.ino === b.ino &&
    a.mode === b.mode &&
    a.size === b.size &&
    a.mtimeNs === b.mtimeNs &&
    a.ctimeNs === b.ctimeNs
  );
}

function readUpTo(fd: number, most: number): Buffer {
  const buffer = Buffer.allocUnsafeSlow(most);
  let length = 0;
  while (length < most) {
    const read = readSync(fd, buffer, length, most - length, null);
    if (read === 0) break;
    length += read;
  }
  return buffer.subarray(0, length);
}

/** From the beginning each time it is asked: the sink may have to read a second time. */
function piecesOf(fd: number, size: number): AsyncIterable<Uint8Array> {
  return {
    async *[Symbol.asyncIterator]() {
      for (let at = 0; at < size; ) {
        const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
        const read = readSync(fd, buffer, 0, CHUNK_BYTES, at);
        if (read === 0) return;
        yield buffer.subarray(0, read);
        at += read;
      }
    },
  };
}

const stateOf = <K extends PresentState["kind"]>(stat: BigIntStats, kind: K): { kind: K; mode: number } => ({
  kind,
  mode: Number(stat.mode & PERMISSIONS),
});

const held = (state: PathState, bytes: number, stat: BigIntStats): ReadOutcome => ({
  kind: "held",
  state,
  bytes,
  hasHardLinks: stat.isFile() && stat.nlink > 1n,
});
const gap = (reason: GapReason, detail: string): ReadOutcome => ({
  kind: "gap",
  reason,
  detail,
  state: null,
});
const moving = (): ReadOutcome => gap("moving", "it changed while it was read");

function specialKind(stat: BigIntStats): string {
  if (stat.isFIFO()) return "a fifo";
  if (stat.isSocket()) return "a socket";
  return stat.isCharacterDevice() || stat.isBlockDevice() ? "a device" : "neither file nor folder nor link";
}

function gapOf(thrown: unknown): ReadOutcome {
  switch (errnoOf(thrown)) {
    case "EACCES":
    case "EPERM":
      return gap("unreadable", "no permission to read it");
    case "EIO":
      return gap("unreadable", "the disk cannot read it");
    // Gone, or something else in its place, between the look and the opening.
    case "ENOENT":
    case "ENOTDIR":
    case "ELOOP":
    case "EINVAL":
    case "ENXIO":
      return moving();
    default:
      throw thrown;
  }
}
