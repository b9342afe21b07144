/**
 * The server's input, line by line: what is no request that the SDK would answer is kept from it, and refused by its id where it has one. A
 * line longer than a bound (T5) is read to its end and thrown away, but for its beginning and its end, where a message's id stands.
 * The connection goes on.
 */
import { Transform, type TransformCallback } from "node:stream";

/** `id`: null: nobody can be answered by name. */
export interface RefusedLine {
  readonly id: string | number | null;
  readonly why: string;
}

/** Enough for the names and the id that stand before or behind a message's parameters. */
const EDGE_BYTES = 512;
const LINE_FEED = 0x0a;

export class BoundedLines extends Transform {
  readonly #maxBytes: number;
  readonly #onRefused: (line: RefusedLine) => void;
  #pieces: Buffer[] = [];
  #bytes = 0;

  constructor(maxBytes: number, onRefused: (line: RefusedLine) => void) {
    super();
    this.#maxBytes = maxBytes;
    this.#onRefused = onRefused;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    let from = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, from)) {
      this.#add(chunk.subarray(from, end + 1));
      this.#endLine();
      from = end + 1;
    }
    this.#add(chunk.subarray(from));
    done();
  }

  override _flush(done: TransformCallback): void {
    if (this.#bytes > 0) this.#endLine();
    done();
  }

  #add(piece: Buffer): void {
    if (piece.length === 0) return;
    this.#bytes += piece.length;
    this.#pieces.push(piece);
    if (this.#bytes <= this.#maxBytes) return;
    // Only its edges are kept from here on.
    const all = Buffer.concat(this.#pieces);
    this.#pieces = [Buffer.from(all.subarray(0, EDGE_BYTES)), Buffer.from(all.subarray(-EDGE_BYTES))];
  }

  #endLine(): void {
    const line = Buffer.concat(this.#pieces);
    const bytes = this.#bytes;
    this.#pieces = [];
    this.#bytes = 0;
    const refused = bytes <= this.#maxBytes ? refusalOf(line) : tooLong(line, bytes, this.#maxBytes);
    if (refused === null) this.push(line);
    else this.#onRefused(refused);
  }
}

const AT_FIRST = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(-?\d{1,15}|"[^"\\]{1,100}")/;
const AT_LAST = /"id"\s*:\s*(-?\d{1,15}|"[^"\\]{1,100}")\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/;

/** Of a line that was not kept: the id, where it stands at one of its ends. */
function tooLong(edges: Buffer, bytes: number, maxBytes: number): RefusedLine {
  const first = edges.subarray(0, EDGE_BYTES).toString("utf8");
  const last = edges.subarray(-EDGE_BYTES).toString("utf8");
  const found = AT_FIRST.exec(first)?.[1] ?? AT_LAST.exec(last)?.[1];
  const id = found === undefined ? null : (JSON.parse(found) as string | number);
  return { id, why: `a message of ${bytes} bytes is longer than ${maxBytes}` };
}

/** Null: it goes on to the SDK, which leaves a request unanswered whose frame it cannot read. */
function refusalOf(line: Buffer): RefusedLine | null {
  const text = line.toString("utf8").trim();
  if (text === "") return null;
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return { id: null, why: "a line that is no JSON" };
  }
  if (!isObject(message)) return { id: null, why: "a line that is no message" };
  const { id, method, params, jsonrpc } = message;
  const named = typeof id === "string" || typeof id === "number" ? id : null;
  const isFramed = jsonrpc === "2.0" && (params === undefined || isObject(params));
  if (method === undefined || isFramed) return null;
  return { id: named, why: "no JSON-RPC 2.0 request with its parameters in an object" };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
