/** A transcript that is one text, written whole each time: read whole, within its limit (T5). */
import { TRANSCRIPT_DOCUMENT_BYTES } from "../../model/limits.ts";
import type { AgentAdapter, DocumentFormat } from "../words/adapter.ts";
import { FILE_BEGIN, type TranscriptEars } from "./ears.ts";
import { firstBytes } from "./opened-file.ts";
import { hearEach, type PieceReading } from "./piece-by-piece.ts";

export function* readDocument(
  path: string,
  format: DocumentFormat,
  ears: TranscriptEars,
): PieceReading<void> {
  const text = wholeText(path);
  if (text === null) {
    ears.damaged({ kind: "over-long", at: FILE_BEGIN });
    return;
  }
  if (format.isTorn?.(text) === true) ears.damaged({ kind: "torn", at: FILE_BEGIN });
  yield* hearEach(format.read(text, path), ears);
}

/** Whose document this is, told by content; null: nobody's we know. */
export function recognizeDocument(path: string, adapters: readonly AgentAdapter[]): AgentAdapter | null {
  const text = wholeText(path);
  if (text === null) return null;
  return (
    adapters.find(({ transcript }) => transcript.storage === "document" && transcript.recognizes(text)) ??
    null
  );
}

/** Null: longer than a document may be. */
function wholeText(path: string): string | null {
  const bytes = firstBytes(path, TRANSCRIPT_DOCUMENT_BYTES + 1);
  return bytes.length > TRANSCRIPT_DOCUMENT_BYTES ? null : bytes.toString("utf8");
}
