/**
 * Positional reads of a file that may be gigabytes long, cut short, or on a disk with bad sectors. Keeps a
 * bounded number of blocks, so that walking pages in order and following chains nearby costs few reads.
 */
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { RefloatError } from "../../../model/errors.ts";
import { errnoOf, ifThere, ioError } from "../../../platform/io-error.ts";

export interface FileReader {
  readonly size: number;
  /** What is there: fewer bytes at the end of the file, none behind it, null where the disk cannot read. */
  read(at: number, length: number): Buffer | null;
  close(): void;
}

/** pread(2), as a function so that a test can be a disk with bad sectors. */
export type ReadAt = (into: Buffer, at: number) => number;

const BLOCK_BYTES = 64 * 1024;
/** 8 MiB in all: an overflow chain of the longest chunk, 1 MiB, stays in it whole, wherever its pages lie. */
const MAX_BLOCKS = 128;

/** Null when there is no such file: a store's log may be missing, and a lost database may have left its log. */
export function openFileReader(path: string): FileReader | null {
  // Not blocking: opening a pipe put in the store's place would otherwise wait for a writer for ever.
  const fd = ifThere(path, () => openSync(path, constants.O_RDONLY | constants.O_NONBLOCK));
  if (fd === null) return null;
  const stat = fstatSync(fd);
  if (!stat.isFile()) {
    closeSync(fd);
    throw new RefloatError("E_STORE_NOT_A_FILE", {
      path,
      found: stat.isDirectory() ? "a directory" : "a special file",
    });
  }
  const readAt: ReadAt = (into, at) => {
    try {
      return readSync(fd, into, 0, into.length, at);
    } catch (thrown) {
      throw errnoOf(thrown) === "EIO" ? thrown : ioError(thrown, path);
    }
  };
  return { ...createReader(stat.size, readAt), close: () => closeSync(fd) };
}

/** `readAt` throws EIO for what the disk cannot read; anything else it throws ends the salvage. */
export function createReader(size: number, readAt: ReadAt): Pick<FileReader, "size" | "read"> {
  // In order of last use. Null: part of the block cannot be read; then each range in it is tried by itself.
  const blocks = new Map<number, Buffer | null>();

  function blockAt(index: number): Buffer | null {
    let block = blocks.get(index);
    if (block === undefined) {
      const start = index * BLOCK_BYTES;
      block = readRange(readAt, start, Math.min(BLOCK_BYTES, size - start));
      if (blocks.size >= MAX_BLOCKS) for (const oldest of blocks.keys()) if (blocks.delete(oldest)) break;
    }
    blocks.delete(index);
    blocks.set(index, block);
    return block;
  }

  return {
    size,
    read(at, length) {
      const end = Math.min(at + length, size);
      const parts: Buffer[] = [];
      for (let from = at; from < end; ) {
        const index = Math.floor(from / BLOCK_BYTES);
        const to = Math.min(end, (index + 1) * BLOCK_BYTES);
        const block = blockAt(index);
        const part = block
          ? block.subarray(from - index * BLOCK_BYTES, to - index * BLOCK_BYTES)
          : readRange(readAt, from, to - from);
        if (part === null) return null;
        parts.push(part);
        from = to;
      }
      const [first] = parts;
      return parts.length === 1 && first ? first : Buffer.concat(parts);
    },
  };
}

function readRange(readAt: ReadAt, at: number, length: number): Buffer | null {
  const buffer = Buffer.allocUnsafeSlow(length);
  let done = 0;
  try {
    while (done < length) {
      const count = readAt(buffer.subarray(done), at + done);
      if (count === 0) break; // the file became shorter while it was read
      done += count;
    }
  } catch (thrown) {
    if (errnoOf(thrown) === "EIO") return null;
    throw thrown;
  }
  return buffer.subarray(0, done);
}
