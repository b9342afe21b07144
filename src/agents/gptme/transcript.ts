/**
 * gptme's conversations: messages without ids, whole in `conversation.jsonl` (written anew with each), one by one in `events.jsonl` (added
 * at the end, numbered). Calls are blocks in the text of an answer, and a result is the system's next message: which belongs to which is
 * said only where a call has an id. At a terminal a step is written when all its tools are over.
 */
import type { JsonObject } from "../../model/json.ts";
import type { LineReader, LinesFormat } from "../words/adapter.ts";
import { numberAt, objectAt, objectsAt, textAt, timeOf } from "../words/fields.ts";
import type { Heard, HeardAt, LineLinks } from "../words/heard.ts";
import { madeId } from "../words/made-id.ts";
import { type GptmePlace, placeOf } from "./places.ts";
import { callsIn } from "./tool-blocks.ts";

const ROLES: ReadonlySet<unknown> = new Set(["system", "user", "assistant"]);
const EVENTS: ReadonlySet<unknown> = new Set(["message_append", "message_edit", "undo", "checkpoint"]);

export const gptmeTranscript: LinesFormat = {
  storage: "lines",
  recognizes: ([first]) => first !== undefined && (isMessage(first) || isEvent(first)),
  reader: (path) => new ConversationReader(path === undefined ? null : placeOf(path)),
};

/** Nothing else it writes begins so: a role, a text and a time, and neither a type nor an id. */
const isMessage = (line: JsonObject): boolean =>
  ROLES.has(line.role) &&
  typeof line.content === "string" &&
  typeof line.timestamp === "string" &&
  line.type === undefined &&
  line.id === undefined;

const isEvent = (line: JsonObject): boolean =>
  typeof line.seq === "number" && typeof line.ts === "string" && EVENTS.has(line.type);

/** Words gptme itself puts in when the person stops it. */
const INTERRUPTED = /^Interrupted by user\b/;

class ConversationReader implements LineReader {
  #place: GptmePlace | null;
  /** By its first line: a message that stands in an event is none of its own. */
  #isEvents: boolean | null = null;
  /** Of the messages that stand, as undoing counts them. */
  readonly #ids: string[] = [];
  /** Calls whose result has not come, in order. */
  #open: string[] = [];

  constructor(place: GptmePlace | null) {
    this.#place = place;
  }

  links(line: JsonObject): LineLinks | null {
    const ordinal = isEvent(line) ? numberAt(line, "seq") : null;
    return ordinal === null ? null : { id: null, ordinal };
  }

  read(line: JsonObject): readonly Heard[] {
    this.#isEvents ??= isEvent(line);
    const heard = this.#heard(line, this.#isEvents);
    const place = this.#place;
    if (place === null) return heard;
    this.#place = null;
    const at = timeOf(line.timestamp ?? line.ts);
    return [
      { kind: "session", ...place, version: null, branch: null, model: null, at, parent: null },
      ...heard,
    ];
  }

  #heard(line: JsonObject, isEvents: boolean): readonly Heard[] {
    if (isEvent(line) !== isEvents) return [{ kind: "unknown", type: isEvents ? "no event" : "event" }];
    return isEvents ? this.#event(line) : this.#message(line);
  }

  #event(line: JsonObject): readonly Heard[] {
    const payload = objectAt(line, "payload");
    switch (line.type) {
      case "message_append":
        return this.#message(objectAt(payload, "message") ?? {});
      case "checkpoint":
        // All there was up to here: what stood above was taken out, or was heard already.
        return this.#ids.length > 0
          ? []
          : objectsAt(payload, "messages").flatMap((one) => this.#message(one));
      case "undo":
        this.#ids.splice(-Math.max(1, numberAt(payload, "n") ?? 1));
        return [{ kind: "rewound", to: this.#ids.at(-1) ?? "", at: timeOf(line.ts) }];
      default:
        return [];
    }
  }

  #message(line: JsonObject): readonly Heard[] {
    const text = textAt(line, "content");
    const role = textAt(line, "role");
    if (text === null || !ROLES.has(role)) return [{ kind: "unknown", type: `message ${role ?? ""}` }];
    const at = timeOf(line.timestamp);
    const id = madeId(textAt(line, "timestamp") ?? "", role ?? "", text);
    this.#ids.push(id);
    if (role === "system") return this.#system(line, id, text, at);
    const isPerson = role === "user";
    const said: Heard = {
      kind: "message",
      id,
      role: isPerson ? "user" : "assistant",
      parts: [{ type: "text", text }],
      at,
      from: isPerson ? "person" : "agent",
      child: null,
    };
    if (isPerson) return [said];
    const calls = callsIn(text, id, at);
    this.#open = calls.map((one) => one.id);
    if (calls.length > 0) return [said, ...calls];
    // No record ends a turn: an answer without a call reads like it.
    return [said, { kind: "turn-ended", outcome: "completed", proof: "inferred", at }];
  }

  /** Its own words, or what a tool gave back: the call it names, else the first that waits. */
  #system(line: JsonObject, id: string, output: string, at: HeardAt): readonly Heard[] {
    if (INTERRUPTED.test(output)) return [{ kind: "turn-ended", outcome: "cancelled", proof: "record", at }];
    const call = textAt(line, "call_id") ?? this.#open[0];
    if (call === undefined)
      return [
        {
          kind: "message",
          id,
          role: "user",
          parts: [{ type: "text", text: output }],
          at,
          from: "machinery",
          child: null,
        },
      ];
    this.#open = this.#open.filter((one) => one !== call);
    const isFailed = /^Error\b/.test(output);
    return [
      { kind: "result", call, status: isFailed ? "failed" : "done", origin: "real", output, at, edits: [] },
    ];
  }
}
