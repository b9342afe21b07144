/**
 * Which index this is, without parsing it: inode, size, modification time and the checksum at its end. Git
 * replaces the file whole for every change, so an equal identity is the same index.
 */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { errnoOf } from "../../platform/io-error.ts";
import type { Location } from "./locate.ts";

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
