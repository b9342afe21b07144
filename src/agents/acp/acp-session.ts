/**
 * One conversation over ACP, as it passes by: what the person asks, what the agent says, calls, permits and plans, in the words of all agents
 * (words/heard.ts). What is replayed while a conversation is loaded is history, and is not heard again (D4). Pure.
 */
import type { JsonObject } from "../../model/json.ts";
import type { Heard, PlanItemState, ToolKind } from "../words/heard.ts";
import type { RecordedEdit } from "../words/recorded-edit.ts";
import type { AcpCall, AcpContent, AcpUpdate } from "./acp-messages.ts";

/** A longer answer is recorded in pieces of this many characters (T5). */
const PIECE_CHARS = 64 * 1024;
/** Calls of one conversation that are open or not told yet; an agent that never ends one would fill us. */
const MAX_CALLS = 1000;
/** Of a call's output, for people. */
const OUTPUT_CHARS = 64 * 1024;

interface PassingCall {
  title: string;
  kind: string;
  input: JsonObject;
  paths: readonly string[];
  content: readonly AcpContent[];
  isTold: boolean;
}

export class AcpSession {
  /** Names what has no id of its own: this attempt's, so that no other's is taken for it. */
  readonly #prefix: string;
  readonly #calls = new Map<string, PassingCall>();
  #count = 0;
  #growing = "";
  isReplaying = false;

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  /** What has come of an answer that nobody will hear the end of. */
  get growing(): string {
    return this.#growing;
  }

  prompted(blocks: readonly string[]): Heard[] {
    const parts = blocks.map((text) => ({ type: "text" as const, text }));
    const said = { kind: "message", id: this.#newId(), role: "user", parts, from: "person" } as const;
    return [
      ...this.#flushed(),
      { kind: "turn-began", id: null, at: null },
      { ...said, at: null, child: null },
    ];
  }

  /** L7: the agent's own word for the end of a turn. `reason`: null: it failed. */
  stopped(reason: string | null): Heard[] {
    const outcome = reason === "end_turn" ? "completed" : reason === "cancelled" ? "cancelled" : "failed";
    return [...this.#flushed(), { kind: "turn-ended", outcome, proof: "record", at: null }];
  }

  /** What the person answered to a request for leave. */
  permitted(answer: string): Heard[] {
    const parts = [{ type: "text" as const, text: `Permission: ${answer}` }];
    const said = { kind: "message", id: this.#newId(), role: "user", parts, from: "person" } as const;
    return [...this.#flushed(), { ...said, at: null, child: null }];
  }

  updated(update: AcpUpdate): Heard[] {
    if (this.isReplaying) return [];
    switch (update.sessionUpdate) {
      case "agent_message_chunk":
        this.#growing += update.content;
        return this.#growing.length > PIECE_CHARS ? this.#flushed() : [];
      case "tool_call":
        return [...this.#flushed(), ...this.called(update)];
      case "tool_call_update":
        return [...this.#flushed(), ...this.called(update)];
      case "plan": {
        const items = update.entries.map(({ content: text, status }) => ({
          text,
          state: PLAN_STATES.get(status) ?? ("open" as const),
        }));
        return [...this.#flushed(), { kind: "plan", items, at: null }];
      }
    }
  }

  /** A call, or more of one: told when it is known what it does, at the latest with its end. */
  called(said: AcpCall): Heard[] {
    if (this.isReplaying) return [];
    const { toolCallId: id, status } = said;
    const call = this.#calls.get(id) ?? this.#newCall(id);
    call.title = said.title ?? call.title;
    call.kind = said.kind ?? call.kind;
    call.input = said.rawInput ?? call.input;
    call.paths = said.locations ?? call.paths;
    call.content = said.content ?? call.content;
    const isOver = status === "completed" || status === "failed";
    const isKnown = status === "in_progress" || Object.keys(call.input).length > 0;
    const told = isOver || isKnown ? this.#told(id, call) : [];
    return isOver ? [...told, this.#ended(id, call, status, said.rawOutput)] : told;
  }

  /** Before its tool runs: leave is asked for it. */
  asked(id: string): Heard[] {
    const call = this.#calls.get(id);
    return call ? this.#told(id, call) : [];
  }

  #told(id: string, call: PassingCall): Heard[] {
    if (call.isTold) return [];
    call.isTold = true;
    const does = TOOL_KINDS.get(call.kind) ?? "other";
    const edits = editsOf(call.content);
    const paths = call.paths.length > 0 ? call.paths : edits.map(({ path }) => path);
    const { title, kind, input } = call;
    const tool = title === "" ? kind : title.slice(0, MAX_TITLE_CHARS);
    return [
      { kind: "call", id, tool, does, input, paths, edits: [], proof: "started", at: null, child: null },
    ];
  }

  #ended(id: string, call: PassingCall, status: "completed" | "failed", raw: unknown): Heard {
    this.#calls.delete(id);
    const texts = call.content.map(contentText);
    const output = texts.length > 0 ? texts.join("\n") : raw === undefined ? "" : (JSON.stringify(raw) ?? "");
    return {
      kind: "result",
      call: id,
      status: status === "completed" ? "done" : "failed",
      origin: "real",
      output: output.slice(0, OUTPUT_CHARS),
      at: null,
      edits: status === "completed" ? editsOf(call.content) : [],
    };
  }

  #newCall(id: string): PassingCall {
    const [oldest] = this.#calls.keys();
    if (this.#calls.size >= MAX_CALLS && oldest !== undefined) this.#calls.delete(oldest);
    const call = { title: "", kind: "other", input: {}, paths: [], content: [], isTold: false };
    this.#calls.set(id, call);
    return call;
  }

  #flushed(): Heard[] {
    const text = this.#growing;
    this.#growing = "";
    if (text === "") return [];
    const parts = [{ type: "text" as const, text }];
    return [
      { kind: "message", id: this.#newId(), role: "assistant", parts, from: "agent", at: null, child: null },
    ];
  }

  #newId(): string {
    this.#count += 1;
    return `${this.#prefix}:${this.#count}`;
  }
}

/** A title is a line for people; some agents put a whole command there. */
const MAX_TITLE_CHARS = 200;

const TOOL_KINDS: ReadonlyMap<string, ToolKind> = new Map<string, ToolKind>([
  ...([
    ["read", "read"],
    ["edit", "edit"],
    ["delete", "edit"],
    ["move", "edit"],
    ["search", "search"],
  ] as const),
  ...([
    ["execute", "execute"],
    ["fetch", "fetch"],
    ["think", "other"],
    ["switch_mode", "other"],
  ] as const),
]);

const PLAN_STATES: ReadonlyMap<string | null, PlanItemState> = new Map<string, PlanItemState>([
  ["pending", "open"],
  ["in_progress", "doing"],
  ["completed", "done"],
]);

const contentText = (one: AcpContent): string =>
  one.type === "content" ? one.content : `changed ${one.path}`;

/** A diff may be of a piece of a file: only what stood there and what stands there now is taken from it. */
function editsOf(content: readonly AcpContent[]): RecordedEdit[] {
  return content.flatMap((one): RecordedEdit[] => {
    if (one.type !== "diff" || one.newText === null || one.oldText === null || one.oldText === "") return [];
    return [{ kind: "replace", path: one.path, old: one.oldText, new: one.newText, everywhere: false }];
  });
}
