/**
 * A new file written piece by piece: as with `createDurable` it is there whole or not at all, and never over
 * another, but its bytes need not fit in memory.
 */
import { closeSync, existsSync, fsyncSync, openSync, rmSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { RefloatError } from "../model/errors.ts";
import { type FileOptions, linkDurable, replaceDurable } from "./durable-file.ts";
import { guarded } from "./io-error.ts";
import { randomId } from "./random.ts";

type Pieces = AsyncIterable<string | Uint8Array>;

/** Gives back how many bytes it has. Throws E_EXISTS, and reads nothing, when something has that name already. */
export async function createDurableFrom(
  path: string,
  pieces: Pieces,
  options: FileOptions = {},
): Promise<number> {
  if (existsSync(path)) throw new RefloatError("E_EXISTS", { path });
  return writePieces(path, pieces, linkDurable, options);
}

/** The same in the place of what is there: that stays whole until the new one is. */
export function replaceDurableFrom(path: string, pieces: Pieces): Promise<number> {
  return writePieces(path, pieces, replaceDurable);
}

/** Adds to the end of a file of ours; its bytes are on disk when this resolves. */
export async function appendDurableFrom(path: string, pieces: Pieces): Promise<number> {
  const fd = guarded(path, () => openSync(path, "a"));
  let total = 0;
  try {
    for await (const piece of pieces) total += guarded(path, () => writeAll(fd, bytesOf(piece)));
    guarded(path, () => fsyncSync(fd));
  } finally {
    guarded(path, () => closeSync(fd));
  }
  return total;
}

async function writePieces(
  path: string,
  pieces: Pieces,
  publish: typeof linkDurable,
  { mode = 0o600 }: FileOptions = {},
): Promise<number> {
  const temporary = join(dirname(path), `.tmp-${randomId()}`);
  try {
    const bytes = await fill(temporary, path, pieces, mode);
    publish(temporary, path);
    return bytes;
  } finally {
    rmSync(temporary, { force: true });
  }
}

async function fill(temporary: string, path: string, pieces: Pieces, mode: number): Promise<number> {
  const fd = guarded(path, () => openSync(temporary, "wx", mode));
  let total = 0;
  try {
    for await (const piece of pieces) total += guarded(path, () => writeAll(fd, bytesOf(piece)));
  } finally {
    guarded(path, () => closeSync(fd));
  }
  return total;
}

const bytesOf = (piece: string | Uint8Array): Uint8Array =>
  typeof piece === "string" ? Buffer.from(piece) : piece;

function writeAll(fd: number, bytes: Uint8Array): number {
  let written = 0;
  while (written < bytes.length) written += writeSync(fd, bytes, written);
  return bytes.length;
}
