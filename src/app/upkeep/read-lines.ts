/**
 * The lines of an export. Only "\n" ends one: node:readline also breaks at U+2028, which may stand inside a JSON string. Bytes
 * that are no UTF-8 are an error, never quietly replaced.
 */
import { createReadStream } from "node:fs";
import { ensureError, RefloatError } from "../../model/errors.ts";
import { MAX_BODY_BYTES } from "../../model/limits.ts";
import { errnoOf } from "../../platform/io-error.ts";

/** A file, or the bytes as they come. */
export type LinesFrom = string | AsyncIterable<Uint8Array>;

/** The largest record's body with every byte escaped in the shortest way, and room for the rest of its line. */
const MAX_LINE_BYTES = 4 * MAX_BODY_BYTES;
const NEWLINE = 0x0a;

export async function* readLines(from: LinesFrom): AsyncGenerator<string> {
  let number = 0;
  let pending: Uint8Array[] = [];
  let size = 0;
  const finish = (): string => {
    const bytes = Buffer.concat(pending);
    pending = [];
    size = 0;
    return decode(bytes, ++number);
  };
  for await (const chunk of chunksOf(from)) {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      pending.push(chunk.subarray(from, at));
      yield finish();
      from = at + 1;
    }
    const rest = chunk.subarray(from);
    size += rest.byteLength;
    if (size > MAX_LINE_BYTES)
      throw new RefloatError("E_IMPORT", {
        line: number + 1,
        why: `it is longer than ${MAX_LINE_BYTES} bytes`,
      });
    if (rest.byteLength > 0) pending.push(rest);
  }
  if (pending.length > 0) yield finish();
}

async function* chunksOf(from: LinesFrom): AsyncGenerator<Uint8Array> {
  try {
    yield* typeof from === "string" ? createReadStream(from) : from;
  } catch (thrown) {
    if (errnoOf(thrown) === null) throw thrown;
    const path = typeof from === "string" ? from : "-";
    throw new RefloatError("E_NO_FILE", { path, why: ensureError(thrown).message }, thrown);
  }
}

function decode(bytes: Uint8Array, number: number): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (thrown) {
    throw new RefloatError("E_IMPORT", { line: number, why: "it is not UTF-8" }, thrown);
  }
}

/** As they are written. */
export async function* withEnds(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield `${line}\n`;
}
