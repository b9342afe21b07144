/** One transcript from its file to what was heard, whatever its storage. Reading only: no byte of an agent's files is changed. */
import type { AgentAdapter, FoundTranscript, TranscriptFormat } from "../words/adapter.ts";
import { FILE_BEGIN, type TranscriptEars } from "./ears.ts";
import { firstBytes } from "./opened-file.ts";
import { type PieceReading, toEnd } from "./piece-by-piece.ts";
import { readDatabase, recognizeDatabase } from "./read-database.ts";
import { readDocument, recognizeDocument } from "./read-document.ts";
import { type ReadTo, readLines, recognizeLines } from "./read-lines.ts";

/**
 * `from` another place than the beginning: only what was added since, however long the rest is. Null: a document and a database are
 * read whole each time; ids of the source tell what is new.
 */
export function readTranscript(...asked: Parameters<typeof readingTranscript>): ReadTo | null {
  return toEnd(readingTranscript(...asked));
}

/** The same, piece by piece. */
export function* readingTranscript(
  { path, nativeId }: Pick<FoundTranscript, "path" | "nativeId">,
  format: TranscriptFormat,
  ears: TranscriptEars,
  from = FILE_BEGIN,
): PieceReading<ReadTo | null> {
  switch (format.storage) {
    case "lines":
      return yield* readLines(path, format, ears, from);
    case "document":
      yield* readDocument(path, format, ears);
      return null;
    case "database":
      yield* readDatabase(path, format, nativeId, ears);
      return null;
  }
}

const SQLITE = Buffer.from("SQLite format 3\u0000");

/** Whose transcript this is, told by content and never by its name; null: nobody's we know. */
export function recognizeTranscript(path: string, adapters: readonly AgentAdapter[]): AgentAdapter | null {
  if (firstBytes(path, SQLITE.length).equals(SQLITE)) return recognizeDatabase(path, adapters);
  return recognizeLines(path, adapters) ?? recognizeDocument(path, adapters);
}
