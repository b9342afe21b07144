/**
 * One conversation over ACP, as it passes by: what the person asks, what the agent says, calls, permits and plans, in the words of all agents
 * (words/heard.ts). What is replayed while a conversation is loaded is history, and is not heard again (D4). Pure.
 */
import type { SessionUpdate, ToolCall, ToolCallUpdate } from "@agentclientprotocol/sdk";
import type { JsonObject } from "../../model/json.ts";
import { isJsonObject } from "../../model/json.ts";
import type { Heard, PlanItemState, ToolKind } from "../words/heard.ts";
import type { RecordedEdit } from "../words/recorded-edit.ts";

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
  content: readonly unknown[];
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

  prompted(blocks: unknown): Heard[] {
    const parts = listOf(blocks).map((block) => ({ type: "text" as const, text: blockText(block) }));
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

  updated(update: SessionUpdate): Heard[] {
    if (this.isReplaying) return [];
    switch (update.sessionUpdate) {
      case "agent_message_chunk":
        this.#growing += blockText(update.content);
        return this.#growing.length > PIECE_CHARS ? this.#flushed() : [];
      case "tool_call":
        return [...this.#flushed(), ...this.called(update)];
      case "tool_call_update":
        return [...this.#flushed(), ...this.called(update)];
      case "plan": {
        const items = listOf(update.entries).map((entry) => ({
          text: String(entry.content ?? ""),
          state: PLAN_STATES[String(entry.status)] ?? "open",
        }));
        return [...this.#flushed(), { kind: "plan", items, at: null }];
      }
      default:
        return [];
    }
  }

  /** A call, or more of one: told when it is known what it does, at the latest with its end. */
  called(said: ToolCall | ToolCallUpdate): Heard[] {
    if (this.isReplaying) return [];
    const { toolCallId: id, status } = said;
    if (typeof id !== "string" || id === "") return [];
    const call = this.#calls.get(id) ?? this.#newCall(id);
    call.title = said.title ?? call.title;
    call.kind = said.kind ?? call.kind;
    if (isJsonObject(said.rawInput)) call.input = said.rawInput;
    if (Array.isArray(said.locations)) call.paths = said.locations.map(({ path }) => String(path));
    if (Array.isArray(said.content)) call.content = said.content;
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
    const does = TOOL_KINDS[call.kind] ?? "other";
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
    const texts = call.content.flatMap((one) => (isJsonObject(one) ? contentText(one) : []));
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

const TOOL_KINDS: Readonly<Record<string, ToolKind>> = {
  ...{ read: "read", edit: "edit", delete: "edit", move: "edit", search: "search", execute: "execute" },
  ...{ fetch: "fetch", think: "other", switch_mode: "other" },
};

const PLAN_STATES: Readonly<Record<string, PlanItemState>> = {
  pending: "open",
  in_progress: "doing",
  completed: "done",
};

const listOf = (value: unknown): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter((one) => isJsonObject(one)) : [];

/** A block of a message, for people. */
export function blockText(block: unknown): string {
  if (!isJsonObject(block)) return "";
  if (typeof block.text === "string") return block.text;
  const resource = isJsonObject(block.resource) ? block.resource : block;
  if (typeof resource.text === "string") return resource.text;
  return `[${String(block.type ?? "block")}${typeof resource.uri === "string" ? ` ${resource.uri}` : ""}]`;
}

function contentText(one: JsonObject): string[] {
  if (one.type === "content") return [blockText(one.content)];
  return one.type === "diff" ? [`changed ${String(one.path)}`] : [];
}

/** A diff may be of a piece of a file: only what stood there and what stands there now is taken from it. */
function editsOf(content: readonly unknown[]): RecordedEdit[] {
  return content.flatMap((one): RecordedEdit[] => {
    if (!isJsonObject(one) || one.type !== "diff") return [];
    const { path, oldText, newText } = one;
    if (typeof path !== "string" || typeof newText !== "string") return [];
    if (typeof oldText !== "string" || oldText === "") return [];
    return [{ kind: "replace", path, old: oldText, new: newText, everywhere: false }];
  });
}
