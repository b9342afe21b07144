/**
 * The same transcript without its damage, as the bytes of a copy: every whole record stands on a line of its own, as it was written;
 * fragments and NULs are gone, and a record whose parent is nowhere hangs below the one before it. What is doubled, too long or missing
 * stays as it is. Nothing whole is left out.
 */
import { closeSync, readSync } from "node:fs";
import type { LineReader, LinesFormat, TranscriptFormat } from "../words/adapter.ts";
import { type DamageKind, type ReadLine, readLine } from "./damage.ts";
import { LineSplitter, type SplitLine } from "./line-splitter.ts";
import { openedFile, PIECE_BYTES } from "./opened-file.ts";
import { linesOf, recordTest } from "./read-lines.ts";
import { SeenIds } from "./seen-ids.ts";
import type { WholeRecord } from "./whole-records.ts";

/** What a copy does not have any more; a parent only where the form says how a record names it. */
export function isMended(kind: DamageKind, format: TranscriptFormat): boolean {
  // Only lines can be left out of a copy.
  if (format.storage !== "lines") return false;
  switch (kind) {
    case "torn":
    case "nul":
    case "glued":
      return true;
    case "dangling-parent":
      return format.reader().relink !== undefined;
    case "duplicate":
    case "over-long":
    case "gap":
      return false;
  }
}

const LINE_FEED = Buffer.from("\n");

/** `ids`: of all its records, as reading it gave them. */
export function* repairedLines(path: string, format: LinesFormat, ids: SeenIds): Generator<Buffer> {
  const links = new Relinking(format.reader(), ids);
  const isRecord = recordTest(path, format);
  const fd = openedFile(path);
  try {
    for (const lines of linesOf(fd, new LineSplitter())) {
      // The lines are good until the next piece is read: they are put together before.
      let parts: Buffer[] = [];
      for (const line of lines) {
        if (line.bytes === null) {
          yield Buffer.concat(parts);
          yield* bytesOf(fd, line);
          parts = [LINE_FEED];
        } else parts.push(...mended(line, line.bytes, readLine(line, isRecord), links));
      }
      yield Buffer.concat(parts);
    }
  } finally {
    closeSync(fd);
  }
}

function mended(
  { isEnded }: SplitLine,
  bytes: Buffer,
  { records, damage }: ReadLine,
  links: Relinking,
): readonly Buffer[] {
  // An empty line harms nobody.
  if (damage === null && records.length === 0) return isEnded ? [bytes, LINE_FEED] : [];
  return records.flatMap((one) => [links.linked(one), LINE_FEED]);
}

/** A line that is too long to be held goes over piece by piece. */
function* bytesOf(fd: number, { byte, length }: SplitLine): Generator<Buffer> {
  for (let at = byte; at < byte + length; ) {
    const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, byte + length - at));
    const read = readSync(fd, piece, 0, piece.length, at);
    if (read === 0) return; // cut off meanwhile
    yield piece.subarray(0, read);
    at += read;
  }
}

class Relinking {
  readonly #reader: LineReader;
  readonly #ids: SeenIds;
  readonly #above = new SeenIds();
  #before: string | null = null;

  constructor(reader: LineReader, ids: SeenIds) {
    this.#reader = reader;
    this.#ids = ids;
  }

  linked({ object, bytes }: WholeRecord): Buffer {
    const { id = null, parent } = this.#reader.links(object) ?? {};
    const hasParent = typeof parent === "string" && parent !== id;
    const isAbove = hasParent && this.#above.has(parent);
    const isNowhere = hasParent && !isAbove && !this.#ids.has(parent) && !this.#ids.hasForgotten;
    const put = isNowhere ? this.#reader.relink?.(object, this.#before) : undefined;
    if (id !== null) {
      // One whose parent stands further down may hang below the very record that is put below it: no circles.
      if (!hasParent || isAbove || isNowhere) this.#before = id;
      this.#above.add(id);
    }
    return put === undefined ? bytes : Buffer.from(JSON.stringify(put));
  }
}
