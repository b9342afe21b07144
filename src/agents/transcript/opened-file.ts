/** An agent's file, opened to be read and for nothing else. */
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { RefloatError } from "../../model/errors.ts";
import { errnoOf } from "../../platform/io-error.ts";

export function withOpenFile<T>(path: string, use: (fd: number) => T): T {
  const fd = openedFile(path);
  try {
    return use(fd);
  } finally {
    closeSync(fd);
  }
}

/** Only a file: a pipe would be waited for, a device never ends, and neither is anybody's transcript. Whoever opened it closes it. */
export function openedFile(path: string): number {
  const fd = opened(path);
  const stat = fstatSync(fd);
  if (stat.isFile()) return fd;
  closeSync(fd);
  const found = stat.isDirectory() ? "a directory" : "a special file";
  throw new RefloatError("E_NO_FILE", { path, why: `it is ${found}, not a file` });
}

function opened(path: string): number {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (thrown) {
    const why = errnoOf(thrown);
    if (why === null) throw thrown;
    throw new RefloatError("E_NO_FILE", { path, why }, { cause: thrown });
  }
}

/** The first bytes of it, at most so many: a file may grow or shrink while it is read. */
export const firstBytes = (path: string, limit: number): Buffer =>
  withOpenFile(path, (fd) => {
    const pieces: Buffer[] = [];
    for (let at = 0; at < limit; ) {
      const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, limit - at));
      const read = readSync(fd, piece, 0, piece.length, at);
      if (read === 0) break;
      pieces.push(piece.subarray(0, read));
      at += read;
    }
    return Buffer.concat(pieces);
  });

/** One read of a file: large enough that the calls cost nothing, small beside a line's limit. */
export const PIECE_BYTES = 1024 * 1024;
