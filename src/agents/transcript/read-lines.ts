/** A transcript of lines: no more of it is in memory than a piece and a line. */
import { closeSync, fstatSync, readSync } from "node:fs";
import type { JsonObject } from "../../model/json.ts";
import { TRANSCRIPT_FIRST_BYTES, TRANSCRIPT_FIRST_LINES, TRANSCRIPT_LINE_BYTES } from "../../model/limits.ts";
import type { AgentAdapter, LineReader, LinesFormat } from "../words/adapter.ts";
import { readHeard } from "../words/read-heard.ts";
import { LinkCheck, readLine } from "./damage.ts";
import { FILE_BEGIN, type TranscriptEars } from "./ears.ts";
import { type LinePlace, LineSplitter, type SplitLine } from "./line-splitter.ts";
import { openedFile, PIECE_BYTES, withOpenFile } from "./opened-file.ts";
import type { PieceReading } from "./piece-by-piece.ts";
import type { SeenIds } from "./seen-ids.ts";
import type { IsRecord } from "./whole-records.ts";

/** Where reading can go on: the beginning of the first line that has not been read whole. */
export interface ReadTo {
  readonly next: LinePlace;
  /** The ids of its records. */
  readonly ids: SeenIds;
}

/** `from` another place than the beginning: only what was added since, however long the rest is. */
export function* readLines(
  path: string,
  format: LinesFormat,
  ears: TranscriptEars,
  from = FILE_BEGIN,
): PieceReading<ReadTo> {
  const reader = format.reader(path);
  const isRecord = recordTest(path, format);
  const links = new LinkCheck({ isWholeFile: from.byte === 0 });
  const splitter = new LineSplitter(from);
  const hearLine = (line: SplitLine): void => {
    const { records, damage } = readLine(line, isRecord);
    const at = { line: line.line, byte: line.byte };
    if (damage !== null) ears.damaged({ kind: damage, at });
    for (const { object } of records) {
      const link = reader.links(object);
      const broken = link === null ? null : links.check(link, at);
      if (broken !== null) ears.damaged({ kind: broken, at });
      for (const heard of readHeard(reader, object)) ears.hear(heard, at);
    }
  };
  const fd = openedFile(path);
  try {
    yield* eachLine(fd, splitter, hearLine);
  } finally {
    closeSync(fd);
  }
  for (const heard of reader.end?.() ?? []) ears.hear(heard, null);
  for (const one of links.dangling()) ears.damaged(one);
  return { next: splitter.place, ids: links.ids };
}

/** By a reader of its own, which read the file's beginning: one that reads remembers what it read, and knows the form by it. */
export function recordTest(path: string, format: LinesFormat): IsRecord {
  let reader: LineReader | null = null;
  return (object) => {
    reader ??= begun(path, format);
    return reader.links(object) !== null || reader.read(object).some(({ kind }) => kind !== "unknown");
  };
}

function begun(path: string, format: LinesFormat): LineReader {
  const reader = format.reader();
  const [first] = firstObjects(path);
  if (first !== undefined) reader.read(first);
  return reader;
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
  return withOpenFile(path, (fd) => {
    let pieces = 0;
    for (const lines of linesOf(fd, new LineSplitter())) {
      for (const line of lines) {
        found.push(...readLine(line).records.map(({ object }) => object));
        if (found.length >= TRANSCRIPT_FIRST_LINES || line.byte > TRANSCRIPT_FIRST_BYTES) return found;
      }
      // A file without line feeds has no first lines, however long it is (T5).
      pieces += 1;
      if (pieces * PIECE_BYTES > TRANSCRIPT_FIRST_BYTES + TRANSCRIPT_LINE_BYTES) return found;
    }
    return found;
  });
}

/** A piece's lines after the other, good until the next piece is asked for. */
export function* linesOf(fd: number, splitter: LineSplitter): Generator<readonly SplitLine[]> {
  let lines: SplitLine[] = [];
  for (const _piece of eachLine(fd, splitter, (line) => lines.push(line))) {
    yield lines;
    lines = [];
  }
}

/**
 * Every line as it comes, and a pause behind each piece. What is added meanwhile is read to the end of the line that was being written and
 * no further, so that reading ends however fast somebody writes (T5).
 */
function* eachLine(fd: number, splitter: LineSplitter, take: (line: SplitLine) => void): PieceReading<void> {
  const size = fstatSync(fd).size;
  const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, size + 1));
  for (let at = splitter.place.byte; ; ) {
    const read = readSync(fd, piece, 0, piece.length, at);
    if (read === 0) break;
    at += read;
    splitter.feed(piece.subarray(0, read), take);
    yield;
    if (at >= size && (splitter.place.byte === at || at > size + TRANSCRIPT_LINE_BYTES)) break;
  }
  splitter.end(take);
  yield;
}
