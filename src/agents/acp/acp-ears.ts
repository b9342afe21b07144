/**
 * Both directions of an ACP connection, heard as they pass: requests are matched with their answers, and each conversation in it is told
 * apart by its id. What is no message, or one nobody here knows, says nothing. A line that is odd costs itself, and is named (D6). Bounded,
 * whatever the two ends send (T5).
 */
import { ensureError, RefloatError } from "../../model/errors.ts";
import { isJsonObject, type JsonObject } from "../../model/json.ts";
import { LineSplitter } from "../transcript/line-splitter.ts";
import type { Heard } from "../words/heard.ts";
import { heardJson } from "../words/heard-json.ts";
import { type Read, readBlocks, readCall, readChoice, readUpdate } from "./acp-messages.ts";
import { AcpSession } from "./acp-session.ts";

export interface AcpHeard {
  /** The conversation's id, as the agent gave it. */
  readonly nativeId: string;
  readonly heard: Heard;
}

/** The whole text of a file as it is now; null: there is none; undefined: it is not text, or too long. */
export type ReadBefore = (path: string) => string | null | undefined;

/** A line is one message; a longer one passes unheard. */
const LINE_BYTES = 8 * 1024 * 1024;
/** Requests that wait for their answer; the oldest is forgotten. */
const MAX_WAITING = 1000;
/** Conversations in one connection. */
const MAX_SESSIONS = 200;

type OnAnswer = (result: JsonObject | null) => readonly AcpHeard[];

export class AcpEars {
  readonly #attempt: number;
  readonly #readBefore: ReadBefore;
  readonly #onOdd: (error: Error) => void;
  readonly #lines = {
    client: new LineSplitter(undefined, LINE_BYTES),
    agent: new LineSplitter(undefined, LINE_BYTES),
  };
  /** Asked by one, answered by the other. */
  readonly #waiting = { client: new Map<string, OnAnswer>(), agent: new Map<string, OnAnswer>() };
  readonly #sessions = new Map<string, AcpSession>();

  /** `onOdd`: told of each line that could not be heard. */
  constructor(attempt: number, readBefore: ReadBefore, onOdd: (error: Error) => void) {
    this.#attempt = attempt;
    this.#readBefore = readBefore;
    this.#onOdd = onOdd;
  }

  take(from: "client" | "agent", piece: Buffer): readonly AcpHeard[] {
    const heard: AcpHeard[] = [];
    this.#lines[from].feed(piece, ({ bytes }) => {
      if (bytes !== null) heard.push(...this.#line(from, bytes));
    });
    return heard;
  }

  /** What ends a turn may stand behind it in the same piece: nothing that a line says may be thrown past it (L7). */
  #line(from: "client" | "agent", bytes: Buffer): readonly AcpHeard[] {
    try {
      const message = heardJson(bytes.toString("utf8"));
      return isJsonObject(message) ? this.#message(from, message) : [];
    } catch (thrown) {
      this.#onOdd(ensureError(thrown));
      return [];
    }
  }

  #heard<T>(read: Read<T>, hear: (value: T) => readonly AcpHeard[]): readonly AcpHeard[] {
    if (read.kind === "odd") this.#onOdd(new RefloatError("E_ODD_MESSAGE", { why: read.why }));
    return read.kind === "read" ? hear(read.value) : [];
  }

  /** What was being said when it ended (C3). */
  cutOff(): readonly AcpHeard[] {
    return [...this.#sessions].flatMap(([nativeId, { growing }]) =>
      growing === ""
        ? []
        : [{ nativeId, heard: { kind: "delta" as const, id: `${this.#attempt}`, text: growing, at: null } }],
    );
  }

  #message(from: "client" | "agent", message: JsonObject): readonly AcpHeard[] {
    const { id, method, params } = message;
    const key = typeof id === "string" || typeof id === "number" ? JSON.stringify(id) : null;
    const given = isJsonObject(params) ? params : {};
    if (typeof method === "string")
      return from === "client" ? this.#fromClient(method, given, key) : this.#fromAgent(method, given, key);
    const asker = from === "client" ? "agent" : "client";
    const onAnswer = key === null ? undefined : this.#waiting[asker].get(key);
    if (key === null || !onAnswer) return [];
    this.#waiting[asker].delete(key);
    return onAnswer(isJsonObject(message.result) ? message.result : message.error === undefined ? {} : null);
  }

  #fromClient(method: string, params: JsonObject, key: string | null): readonly AcpHeard[] {
    const nativeId = textOf(params.sessionId);
    const cwd = textOf(params.cwd);
    switch (method) {
      case "session/new":
        this.#await("client", key, (result) => this.#begun(textOf(result?.sessionId), cwd));
        return [];
      case "session/load": {
        if (nativeId === null) return [];
        const session = this.#session(nativeId);
        session.isReplaying = true;
        this.#await("client", key, (result) => {
          session.isReplaying = false;
          return result === null ? [] : this.#begun(nativeId, cwd);
        });
        return [];
      }
      case "session/resume":
        this.#await("client", key, (result) => (result === null ? [] : this.#begun(nativeId, cwd)));
        return [];
      case "session/prompt": {
        if (nativeId === null) return [];
        const session = this.#session(nativeId);
        this.#await("client", key, (result) =>
          of(nativeId, session.stopped(result === null ? null : textOf(result.stopReason))),
        );
        return of(nativeId, session.prompted(readBlocks(params.prompt)));
      }
      default:
        return [];
    }
  }

  #fromAgent(method: string, params: JsonObject, key: string | null): readonly AcpHeard[] {
    const nativeId = textOf(params.sessionId);
    if (nativeId === null) return [];
    const session = this.#session(nativeId);
    switch (method) {
      case "session/update":
        return this.#heard(readUpdate(params.update), (update) => of(nativeId, session.updated(update)));
      case "session/request_permission":
        this.#await("agent", key, (result) =>
          of(nativeId, session.permitted(readChoice(result, params.options))),
        );
        return this.#heard(readCall(params.toolCall), (call) =>
          of(nativeId, [...session.called(call), ...session.asked(call.toolCallId)]),
        );
      case "fs/write_text_file":
        return this.#writes(nativeId, params, key);
      default:
        return [];
    }
  }

  /** The editor writes for the agent: how the file was is read before the editor hears of it, and its bytes are in the request. */
  #writes(nativeId: string, params: JsonObject, key: string | null): readonly AcpHeard[] {
    const [path, after] = [textOf(params.path), params.content];
    if (path === null || typeof after !== "string" || key === null) return [];
    const before = this.#readBefore(path);
    const id = `${this.#attempt}:write:${key}`;
    const edits = [{ kind: "write" as const, path, after, ...(before === undefined ? {} : { before }) }];
    this.#await("agent", key, (result) => {
      const status = result === null ? ("failed" as const) : ("done" as const);
      const end = { kind: "result", call: id, status, origin: "real", output: "", at: null } as const;
      return of(nativeId, [{ ...end, edits: status === "done" ? edits : [] }]);
    });
    const call = { kind: "call", id, tool: "fs/write_text_file", does: "edit", proof: "started" } as const;
    return of(nativeId, [{ ...call, input: { path }, paths: [path], edits, at: null, child: null }]);
  }

  #begun(nativeId: string | null, cwd: string | null): readonly AcpHeard[] {
    if (nativeId === null) return [];
    this.#session(nativeId);
    const none = { version: null, branch: null, model: null, at: null, parent: null };
    return of(nativeId, [{ kind: "session", nativeId, cwd, ...none }]);
  }

  #session(nativeId: string): AcpSession {
    const known = this.#sessions.get(nativeId);
    if (known) return known;
    const session = new AcpSession(`${this.#attempt}`);
    const [oldest] = this.#sessions.keys();
    if (this.#sessions.size >= MAX_SESSIONS && oldest !== undefined) this.#sessions.delete(oldest);
    this.#sessions.set(nativeId, session);
    return session;
  }

  #await(asker: "client" | "agent", key: string | null, onAnswer: OnAnswer): void {
    if (key === null) return;
    const waiting = this.#waiting[asker];
    const [oldest] = waiting.keys();
    if (waiting.size >= MAX_WAITING && oldest !== undefined) waiting.delete(oldest);
    waiting.set(key, onAnswer);
  }
}

const of = (nativeId: string, heard: readonly Heard[]): AcpHeard[] =>
  heard.map((one) => ({ nativeId, heard: one }));

const textOf = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);

/** What the agent said in messages of the protocol, for people; null: the text is something else. */
export function acpWords(text: string): string | null {
  const messages = text.split("\n").flatMap((line) => {
    const value = line.startsWith("{") ? heardJson(line) : null;
    return isJsonObject(value) && value.jsonrpc === "2.0" ? [value] : [];
  });
  if (!messages.some(({ method }) => method === "session/update")) return null;
  return messages.map(chunkOf).join("").trim();
}

function chunkOf({ method, params }: JsonObject): string {
  const update = method === "session/update" && isJsonObject(params) ? params.update : null;
  if (!isJsonObject(update)) return "";
  if (update.sessionUpdate !== "agent_message_chunk") return "\n";
  return isJsonObject(update.content) && typeof update.content.text === "string" ? update.content.text : "";
}
