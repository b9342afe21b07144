/**
 * One transcript from its file to what was heard, whatever its storage. Reading only: no byte of an agent's files is changed, and no more
 * of one is in memory than a piece and a line.
 */
import { closeSync, openSync, readSync } from "node:fs";
import { RefloatError } from "../../model/errors.ts";
import type { JsonObject } from "../../model/json.ts";
import { TRANSCRIPT_FIRST_LINES } from "../../model/limits.ts";
import { errnoOf } from "../../platform/io-error.ts";
import type { AgentAdapter, LinesFormat } from "../words/adapter.ts";
import type { Heard } from "../words/heard.ts";
import { LinkCheck, readLine, type TranscriptDamage } from "./damage.ts";
import { type LinePlace, LineSplitter, type SplitLine } from "./line-splitter.ts";

/** One read of the file: large enough that the calls cost nothing, small beside a line's limit. */
const PIECE_BYTES = 1024 * 1024;

export interface TranscriptEars {
  /** `at`: the line it came from; a document and a database have none. */
  hear(heard: Heard, at: LinePlace | null): void;
  damaged(damage: TranscriptDamage): void;
}

/** Where reading can go on: the beginning of the first line that has not been read whole. */
export interface ReadTo {
  readonly next: LinePlace;
}

export const FILE_BEGIN: LinePlace = { line: 1, byte: 0 };

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

function firstObjects(path: string): readonly JsonObject[] {
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
  const fd = openedFile(path);
  try {
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
  } finally {
    closeSync(fd);
  }
}

function openedFile(path: string): number {
  try {
    return openSync(path, "r");
  } catch (thrown) {
    const why = errnoOf(thrown);
    if (why === null) throw thrown;
    throw new RefloatError("E_NO_FILE", { path, why }, { cause: thrown });
  }
}
