/**
 * A live stream of JSON lines, heard as it comes: the agent's own id, its limits, and the calls it tells of before, or instead of, its
 * transcript (some agents write a call only when it is over, some lose finished ones with the batch they belong to).
 */
import { isJsonObject, type JsonObject } from "../../model/json.ts";
import { LineSplitter, type SplitLine } from "../transcript/line-splitter.ts";
import type { LineReader } from "../words/adapter.ts";
import type { Heard, HeardCall, HeardResult } from "../words/heard.ts";
import { heardJson } from "../words/heard-json.ts";
import { readHeard } from "../words/read-heard.ts";
import { AlikeLines } from "./alike-lines.ts";

/** A line of a stream is one message at most; a longer one is passed over. */
const STREAM_LINE_BYTES = 4 * 1024 * 1024;

/** Calls that are kept to be compared with the journal's newest: the last ones of a long run. */
const MAX_CALLS = 200;

/** Of an answer that is being streamed its end is kept, in characters: more than is ever shown of what was said last (T5). */
const MAX_GROWING = 64 * 1024;

const OPEN_BRACE = 0x7b;

export class StreamEars {
  readonly #reader: LineReader;
  readonly #isSilent: ReturnType<typeof silentLines>;
  readonly #alike = new AlikeLines();
  readonly #lines = new LineSplitter(undefined, STREAM_LINE_BYTES);
  readonly #calls = new Map<string, { call: HeardCall; result: HeardResult | null }>();
  readonly #growing = new Map<string, string>();
  nativeId: string | null = null;
  /** The agent's own end record is the last it said of its turn (L7): of some agents the stream alone has one. */
  hasEnded = false;

  constructor(reader: LineReader) {
    this.#reader = reader;
    this.#isSilent = silentLines(reader.silent ?? new Set());
  }

  /** What was heard in this piece. */
  take(piece: Buffer): readonly Heard[] {
    const heard: Heard[] = [];
    const hear = (one: Heard): void => {
      heard.push(one);
      this.#keep(one);
    };
    this.#lines.feed(
      piece,
      (line) => {
        for (const object of objectsOf(line)) {
          const told = readHeard(this.#reader, object);
          this.#alike.learn(line.bytes, told);
          told.forEach(hear);
        }
      },
      (bytes, from, to) => {
        const grown = this.#alike.read(bytes, from, to);
        if (grown === null) return this.#isSilent(bytes, from, to);
        hear(grown);
        return true;
      },
    );
    return heard;
  }

  /**
   * What it told and the transcript has not, in order: calls nobody `knows`, results of calls that have `none` there, and last the
   * answer that was being streamed, which no agent keeps (C3).
   */
  beside(transcript: {
    readonly knows: (call: string) => boolean;
    readonly hasResult: (call: string) => boolean;
  }): readonly Heard[] {
    const calls = [...this.#calls.values()].flatMap(({ call, result }): readonly Heard[] => {
      const isNew = !transcript.knows(call.id);
      const ended = result !== null && !transcript.hasResult(call.id) ? [result] : [];
      return isNew ? [call, ...ended] : ended;
    });
    const cutOff = [...this.#growing].map(([id, text]): Heard => {
      return { kind: "delta", id, text: text.slice(-MAX_GROWING), at: null };
    });
    return [...calls, ...cutOff];
  }

  #keep(heard: Heard): void {
    if (heard.kind === "session") this.nativeId ??= heard.nativeId;
    if (heard.kind === "call") this.#keepCall(heard);
    const known = heard.kind === "result" ? this.#calls.get(heard.call) : undefined;
    if (known && heard.kind === "result") known.result ??= heard;
    this.#keepGrowing(heard);
    if (heard.kind === "turn-ended")
      this.hasEnded = heard.outcome === "completed" && heard.proof === "record";
    else if (IN_A_TURN.has(heard.kind)) this.hasEnded = false;
  }

  #keepCall(call: HeardCall): void {
    if (this.#calls.has(call.id)) return;
    this.#calls.set(call.id, { call, result: null });
    const [oldest] = this.#calls.keys();
    if (this.#calls.size > MAX_CALLS && oldest !== undefined) this.#calls.delete(oldest);
  }

  #keepGrowing(heard: Heard): void {
    if (heard.kind === "delta") {
      const text = (this.#growing.get(heard.id) ?? "") + heard.text;
      // Cut now and then: each cut copies what is left.
      this.#growing.set(heard.id, text.length > 2 * MAX_GROWING ? text.slice(-MAX_GROWING) : text);
    } else if (heard.kind === "delta-over" || heard.kind === "message") this.#growing.delete(heard.id);
    // Whatever was streamed before it has ended; no stream goes on behind a call.
    else if (heard.kind === "call" || heard.kind === "turn-ended") this.#growing.clear();
  }
}

/** What an agent says only while it is at work. */
const IN_A_TURN: ReadonlySet<Heard["kind"]> = new Set([
  "message",
  "call",
  "result",
  "delta",
  "turn-began",
  "asked-model",
]);

/** By its first bytes. A line whose type stands elsewhere, or that comes in two pieces, is parsed: then nothing is heard in it. */
function silentLines(types: ReadonlySet<string>): (piece: Buffer, from: number, to: number) => boolean {
  const beginnings = [...types].map((type) => Buffer.from(`{"type":"${type}"`));
  return (piece, from, to) => beginnings.some((beginning) => isAt(piece, from, to, beginning));
}

/** Byte by byte: a call for every line takes longer than this. */
function isAt(piece: Buffer, from: number, to: number, bytes: Buffer): boolean {
  if (to - from < bytes.length) return false;
  // Backwards: beginnings differ in their ends.
  for (let i = bytes.length - 1; i >= 0; i--) if (piece[from + i] !== bytes[i]) return false;
  return true;
}

function objectsOf({ bytes }: SplitLine): readonly JsonObject[] {
  if (bytes === null || bytes[0] !== OPEN_BRACE) return [];
  const value = heardJson(bytes.toString("utf8"));
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
    const value = line.startsWith("{") ? heardJson(line) : null;
    if (!isJsonObject(value)) {
      if (line !== "" && !isFragment(line)) said.push(line);
      continue;
    }
    for (const heard of readHeard(reader, value)) hearWords(heard, said, growing);
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
