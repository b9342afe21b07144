/**
 * The user's index: what it has at paths, with the bits that neither mode nor id tell (skip-worktree, assume-unchanged,
 * intent-to-add), and which index it is.
 */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { RefloatError } from "../../model/errors.ts";
import { type PathName, pathFromBytes } from "../../model/path-name.ts";
import type { IndexFlag } from "../../model/plan.ts";
import { errnoOf } from "../../platform/io-error.ts";
import type { Location } from "./locate.ts";
import type { Repository } from "./repository.ts";
import type { StagedObject } from "./status.ts";

/** One entry of the index; a path in the middle of a merge has several. */
export interface StagedEntry extends StagedObject {
  readonly flags?: readonly IndexFlag[] | undefined;
}

/** More than these are looked for in the whole list: git matches each path against each entry. */
const MAX_ASKED = 200;

/** Bits of git's cache entries, as `ls-files --debug` shows them. */
const FLAG_BITS: readonly (readonly [bit: number, flag: IndexFlag])[] = [
  [0x8000, "assume-unchanged"],
  [0x20000000, "intent-to-add"],
  [0x40000000, "skip-worktree"],
];

/** A path the index does not have is not in the map. `indexFile`: another index than the user's. */
export async function indexEntries(
  repository: Repository,
  paths: readonly PathName[],
  indexFile?: string,
): Promise<Map<PathName, StagedEntry[]>> {
  const wanted = new Set(paths);
  const canAsk = paths.length <= MAX_ASKED && paths.every((path) => path.isWellFormed());
  const scope = canAsk ? ["--", ...paths] : [];
  const options = indexFile === undefined ? {} : { indexFile };
  const output = await repository.run(["ls-files", "-s", "-z", "--debug", ...scope], options);
  const found = new Map<PathName, StagedEntry[]>();
  for (const { path, entry } of parse(output)) {
    if (wanted.has(path)) found.set(path, [...(found.get(path) ?? []), entry]);
  }
  return found;
}

/** "mode id stage TAB path NUL", then lines of details, of which the last ends in "flags: hex". */
function* parse(output: Buffer): Generator<{ path: PathName; entry: StagedEntry }> {
  const mark = Buffer.from("\tflags: ");
  for (let at = 0; at < output.length; ) {
    const tab = output.indexOf(0x09, at);
    const nul = output.indexOf(0, tab);
    const flags = output.indexOf(mark, nul);
    const end = output.indexOf(0x0a, flags);
    if (tab === -1 || nul === -1 || flags === -1 || end === -1)
      throw new RefloatError("E_GIT_FAILED", { command: "ls-files", why: "its output is cut off" });
    const [mode, id, stage] = output.subarray(at, tab).toString("latin1").split(" ");
    const bits = Number.parseInt(output.subarray(flags + mark.length, end).toString("latin1"), 16);
    const set = FLAG_BITS.filter(([bit]) => (bits & bit) !== 0).map(([, flag]) => flag);
    const entry = { mode: Number.parseInt(mode ?? "", 8), id: id ?? "", stage: Number(stage) };
    yield {
      path: pathFromBytes(output.subarray(tab + 1, nul)),
      entry: set.length === 0 ? entry : { ...entry, flags: set },
    };
    at = end + 1;
  }
}

/**
 * Which index this is, without parsing it: inode, size, modification time and the checksum at its end. Git
 * replaces the file whole for every change, so an equal identity is the same index.
 */
export interface IndexIdentity {
  readonly inode: string;
  readonly size: number;
  readonly mtime_ns: string;
  /** Its last bytes in hex: git's own hash over the whole, or zeros where the user switched that off. */
  readonly trailer: string;
}

/** A SHA-1 index ends in 20 bytes of hash, a SHA-256 one in 32; the longer covers both. */
const TRAILER_BYTES = 32;

/** Null: there is no index yet. */
export function indexIdentity({ gitDir }: Location): IndexIdentity | null {
  const fd = openIndex(join(gitDir, "index"));
  if (fd === null) return null;
  try {
    const { ino, size, mtimeNs } = fstatSync(fd, { bigint: true });
    const length = Math.min(TRAILER_BYTES, Number(size));
    const trailer = Buffer.alloc(length);
    readSync(fd, trailer, 0, length, Number(size) - length);
    return {
      inode: String(ino),
      size: Number(size),
      mtime_ns: String(mtimeNs),
      trailer: trailer.toString("hex"),
    };
  } finally {
    closeSync(fd);
  }
}

export function isSameIndex(a: IndexIdentity | null, b: IndexIdentity | null): boolean {
  if (a === null || b === null) return a === b;
  return a.inode === b.inode && a.size === b.size && a.mtime_ns === b.mtime_ns && a.trailer === b.trailer;
}

function openIndex(path: string): number | null {
  try {
    return openSync(path, "r");
  } catch (thrown) {
    if (errnoOf(thrown) === "ENOENT") return null;
    throw thrown;
  }
}
