/**
 * A live stream of JSON lines, heard as it comes: the agent's own id, its limits, and the calls it tells of before, or instead of, its
 * transcript (some agents write a call only when it is over, some lose finished ones with the batch they belong to).
 */
import type { JsonObject } from "../../model/json.ts";
import { isJsonObject } from "../../model/json.ts";
import { LineSplitter, type SplitLine } from "../transcript/line-splitter.ts";
import type { LineReader } from "../words/adapter.ts";
import { parsedOrNull } from "../words/fields.ts";
import type { Heard, HeardCall, HeardResult } from "../words/heard.ts";

/** A line of a stream is one message at most; a longer one is passed over. */
const STREAM_LINE_BYTES = 4 * 1024 * 1024;

/** Calls that are kept to be compared with the transcript: the last ones of a long run. */
const MAX_CALLS = 1000;

const OPEN_BRACE = 0x7b;

export class StreamEars {
  readonly #reader: LineReader;
  readonly #lines = new LineSplitter(undefined, STREAM_LINE_BYTES);
  readonly #calls = new Map<string, { call: HeardCall; result: HeardResult | null }>();
  nativeId: string | null = null;

  constructor(reader: LineReader) {
    this.#reader = reader;
  }

  /** What was heard in this piece. */
  take(piece: Buffer): readonly Heard[] {
    const heard: Heard[] = [];
    this.#lines.feed(piece, (line) => {
      for (const object of objectsOf(line)) heard.push(...this.#reader.read(object));
    });
    for (const one of heard) this.#keep(one);
    return heard;
  }

  /** Everything it told of calls that `isKnown` does not know, in order. */
  callsBeside(isKnown: (call: string) => boolean): readonly Heard[] {
    return [...this.#calls.values()]
      .filter(({ call }) => !isKnown(call.id))
      .flatMap(({ call, result }) => (result === null ? [call] : [call, result]));
  }

  #keep(heard: Heard): void {
    if (heard.kind === "session") this.nativeId ??= heard.nativeId;
    if (heard.kind === "call" && !this.#calls.has(heard.id)) {
      this.#calls.set(heard.id, { call: heard, result: null });
      const [oldest] = this.#calls.keys();
      if (this.#calls.size > MAX_CALLS && oldest !== undefined) this.#calls.delete(oldest);
    }
    const known = heard.kind === "result" ? this.#calls.get(heard.call) : undefined;
    if (known && heard.kind === "result") known.result ??= heard;
  }
}

function objectsOf({ bytes }: SplitLine): readonly JsonObject[] {
  if (bytes === null || bytes[0] !== OPEN_BRACE) return [];
  const value = parsedOrNull(bytes.toString("utf8"));
  return isJsonObject(value) ? [value] : [];
}

/**
 * What a stream of JSON lines says, for people: the texts in order, and what was being streamed when it ended. Lines that are no JSON
 * stay as they are.
 */
export function streamWords(reader: LineReader, text: string): string {
  const said: string[] = [];
  const growing = new Map<string, string>();
  for (const line of text.split("\n")) {
    const value = line.startsWith("{") ? parsedOrNull(line) : null;
    if (!isJsonObject(value)) {
      if (line !== "" && !isFragment(line)) said.push(line);
      continue;
    }
    for (const heard of reader.read(value)) hearWords(heard, said, growing);
  }
  return [...said, ...growing.values()].filter((one) => one !== "").join("\n");
}

/** The first kept line of a stream may be the end of a record. */
const isFragment = (line: string): boolean => /[}\]]$/.test(line) && /":/.test(line);

function hearWords(heard: Heard, said: string[], growing: Map<string, string>): void {
  switch (heard.kind) {
    case "delta":
      growing.set(heard.id, (growing.get(heard.id) ?? "") + heard.text);
      return;
    case "delta-over":
      said.push(growing.get(heard.id) ?? "");
      growing.delete(heard.id);
      return;
    case "message":
      if (heard.from !== "agent") return;
      growing.delete(heard.id);
      said.push(heard.parts.flatMap((part) => (part.type === "text" ? [String(part.text)] : [])).join("\n"));
      return;
    case "call":
      // Whatever was streamed before it has ended; no stream goes on behind a call.
      said.push(...growing.values());
      growing.clear();
      return;
    default:
      return;
  }
}
