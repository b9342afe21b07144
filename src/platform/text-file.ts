/** A file of entries (text-entries.ts) behind one line that says what made it, and where in it they are. */
import { closeSync, constants, fstatSync, openSync, readSync, renameSync, rmSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { errnoOf } from "./io-error.ts";
import { randomId } from "./random.ts";
import { type EntryPlace, entryBytes, findEntries } from "./text-entries.ts";

/** By a handle of our own: where another puts a new file in its place, this one stays as it is. */
export interface TextFile {
  readonly fd: number;
  readonly places: Map<string, EntryPlace>;
  size: number;
  /** False: something in it is no entry, or not a sound one. */
  isWhole: boolean;
}

/** Null: there is none that begins with `head`, is a file, not too long, and may be read and added to. */
export function openTextFile(path: string, head: Buffer, maxBytes: number): TextFile | null {
  try {
    const fd = openSync(path, constants.O_RDWR | constants.O_APPEND | constants.O_NOFOLLOW);
    try {
      const stat = fstatSync(fd);
      const isOurs = stat.isFile() && stat.size <= maxBytes && bytesAt(fd, 0, head.length).equals(head);
      if (isOurs) return { fd, size: stat.size, ...findEntries(fd, head.length, stat.size) };
    } catch (thrown) {
      closeSync(fd);
      throw thrown;
    }
    closeSync(fd);
    return null;
  } catch (thrown) {
    // Not there, or not to be used: as good as empty.
    if (errnoOf(thrown) === null) throw thrown;
    return null;
  }
}

export const entryAt = ({ fd }: TextFile, place: EntryPlace): Buffer =>
  bytesAt(fd, place.at, entryBytes(place));

/** Fewer where the file ends before. */
function bytesAt(fd: number, at: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  return bytes.subarray(0, readSync(fd, bytes, 0, length, at));
}

/** A full disk takes a part of it: then this throws, and the file is not whole. */
export function appendPiece(file: TextFile, piece: Buffer, places: ReadonlyMap<string, EntryPlace>): void {
  file.isWhole = false;
  writeAll(file.fd, piece);
  file.isWhole = true;
  file.size = fstatSync(file.fd).size;
  // Where another added at the same moment this leads elsewhere, and what is there is not sound, or not of the key.
  const from = file.size - piece.length;
  for (const [key, { at, ...sizes }] of places) file.places.set(key, { at: from + at, ...sizes });
}

/** In the place of whatever is there, and only whole. */
export function makeTextFile(
  path: string,
  head: Buffer,
  entries: Iterable<readonly [string, Buffer, EntryPlace]>,
): TextFile {
  const temporary = join(dirname(path), `.tmp-${randomId()}`);
  const { O_RDWR, O_APPEND, O_CREAT, O_EXCL } = constants;
  const fd = openSync(temporary, O_RDWR | O_APPEND | O_CREAT | O_EXCL, 0o600);
  try {
    const file: TextFile = { fd, size: head.length, places: new Map(), isWhole: true };
    writeAll(fd, head);
    for (const [key, entry, place] of entries) {
      writeAll(fd, entry);
      file.places.set(key, { ...place, at: file.size });
      file.size += entry.length;
    }
    renameSync(temporary, path);
    return file;
  } catch (thrown) {
    closeSync(fd);
    rmSync(temporary, { force: true });
    throw thrown;
  }
}

function writeAll(fd: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
}
