/** A transcript of lines: no more of it is in memory than a piece and a line. */
import { readSync } from "node:fs";
import type { JsonObject } from "../../model/json.ts";
import { TRANSCRIPT_FIRST_LINES } from "../../model/limits.ts";
import type { AgentAdapter, LinesFormat } from "../words/adapter.ts";
import { LinkCheck, readLine } from "./damage.ts";
import { FILE_BEGIN, type TranscriptEars } from "./ears.ts";
import { type LinePlace, LineSplitter, type SplitLine } from "./line-splitter.ts";
import { PIECE_BYTES, withOpenFile } from "./opened-file.ts";

/** Where reading can go on: the beginning of the first line that has not been read whole. */
export interface ReadTo {
  readonly next: LinePlace;
}

/** `from` another place than the beginning: only what was added since, however long the rest is. */
export function readLines(
  path: string,
  format: LinesFormat,
  ears: TranscriptEars,
  from = FILE_BEGIN,
): ReadTo {
  const reader = format.reader();
  const links = new LinkCheck({ isWholeFile: from.byte === 0 });
  return splitFile(path, from, (line) => {
    const { objects, damage } = readLine(line);
    const at = { line: line.line, byte: line.byte };
    if (damage !== null) ears.damaged({ kind: damage, at });
    for (const object of objects) {
      const link = reader.links(object);
      const broken = link === null ? null : links.check(link);
      if (broken !== null) ears.damaged({ kind: broken, at });
      for (const heard of reader.read(object)) ears.hear(heard, at);
    }
  });
}

/** Whose lines these are, told by content; null: nobody's we know. */
export function recognizeLines(path: string, adapters: readonly AgentAdapter[]): AgentAdapter | null {
  const first = firstObjects(path);
  return (
    adapters.find(({ transcript }) => transcript.storage === "lines" && transcript.recognizes(first)) ?? null
  );
}

/** Its first objects, enough to tell whose it is and of which folder. */
export function firstObjects(path: string): readonly JsonObject[] {
  const found: JsonObject[] = [];
  splitFile(path, FILE_BEGIN, (line) => {
    found.push(...readLine(line).objects);
    return found.length < TRANSCRIPT_FIRST_LINES;
  });
  return found;
}

/** `take` returns false to read no further. */
function splitFile(path: string, from: LinePlace, take: (line: SplitLine) => unknown): ReadTo {
  const splitter = new LineSplitter(from);
  return withOpenFile(path, (fd) => {
    const piece = Buffer.allocUnsafe(PIECE_BYTES);
    let goesOn = true;
    const offer = (line: SplitLine): void => {
      if (goesOn) goesOn = take(line) !== false;
    };
    for (let at = from.byte; goesOn; ) {
      const read = readSync(fd, piece, 0, PIECE_BYTES, at);
      if (read === 0) break;
      splitter.feed(piece.subarray(0, read), offer);
      at += read;
    }
    splitter.end(offer);
    return { next: splitter.place };
  });
}
