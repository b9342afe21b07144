/**
 * Codex's rollout files: one line per record, numbered from 0 without a gap. What the model said and asked for stands there as response
 * items; what became of it as events, of which only those are on disk that are final: of a text being streamed there is nothing.
 */
import type { Json, JsonObject } from "../../model/json.ts";
import type { LineReader, LinesFormat } from "../words/adapter.ts";
import { kindAt, numberAt, objectAt, objectOf, textAt, timeOf } from "../words/fields.ts";
import type { Heard, HeardAt, LineLinks } from "../words/heard.ts";
import { madeId } from "../words/made-id.ts";
import { CallEnds } from "./call-ends.ts";
import { childrenOfItem } from "./children.ts";
import { agentMessage, otherAgentsMessage, reasoning, userMessage } from "./messages.ts";
import { callOf } from "./tool-calls.ts";
import { commandResult, patchResult } from "./tool-results.ts";

/** Records that are known and of no use here. */
const PASSED_LINES = new Set([
  "world_state",
  "token_usage_record",
  "inter_agent_communication",
  "inter_agent_communication_metadata",
  "security_risk_score",
]);
/** Said a second time as response items, or nothing of the work. */
const PASSED_EVENTS = new Set([
  "user_message",
  "agent_message",
  "agent_reasoning",
  "agent_reasoning_raw_content",
  "context_compacted",
  "entered_review_mode",
  "exited_review_mode",
  "exec_command_end",
  "image_generation_end",
  "mcp_tool_call_end",
  "sub_agent_activity",
  "thread_goal_updated",
  "thread_name_updated",
  "thread_settings_applied",
  "web_search_end",
]);
const PASSED_ITEMS = new Set([
  "UserMessage",
  "HookPrompt",
  "AgentMessage",
  "Plan",
  "Reasoning",
  "DynamicToolCall",
  "SubAgentActivity",
  "WebSearch",
  "ImageView",
  "Extension",
  "ImageGeneration",
  "EnteredReviewMode",
  "ExitedReviewMode",
  "McpToolCall",
  "ContextCompaction",
]);
const PASSED_RESPONSES = new Set([
  "compaction",
  "compaction_summary",
  "context_compaction",
  "image_generation_call",
]);

/** Turns that can be taken back are remembered while a file is read; a hostile file has no end of them (T5). */
const MAX_TURNS = 4096;

export const codexTranscript: LinesFormat = {
  storage: "lines",
  recognizes: (first) =>
    first.some(({ type, payload }) => {
      const meta = type === "session_meta" ? objectOf(payload) : null;
      return textAt(meta, "id") !== null && textAt(meta, "cwd") !== null;
    }),
  reader: () => new RolloutReader(),
};

class RolloutReader implements LineReader {
  #thread: string | null = null;
  #folder: string | null = null;
  #isChild = false;
  #model: string | null = null;
  readonly #ends = new CallEnds();
  /** The message before each of the person's: what a turn that is taken back goes back to. */
  #before: string[] = [];
  #lastMessage = "";
  /** A turn began and nobody said anything in it yet. */
  #isFresh = false;
  /** The last answer that was announced as one; null: none was, as in older files. */
  #announced: string | null = null;
  /** An answer that may be the summary of a context that is shortened: the next record says. */
  #held: readonly Heard[] = [];

  links(line: JsonObject): LineLinks | null {
    const ordinal = numberAt(line, "ordinal");
    return ordinal === null ? null : { id: null, ordinal };
  }

  read(line: JsonObject): readonly Heard[] {
    const payload = objectAt(line, "payload");
    if (payload === null) return [];
    if (line.type === "compacted") this.#held = [];
    const before = isBesideAnswer(line.type, payload) ? [] : this.end();
    const heard = this.#line(line, payload);
    if (!this.#mayBeSummary(line.type, payload)) return [...before, ...this.#noted(heard)];
    this.#held = heard;
    return before;
  }

  /** Nothing more came: it was an answer. */
  end(): readonly Heard[] {
    const held = this.#noted(this.#held);
    this.#held = [];
    return held;
  }

  /** Written as an answer of the model's, but announced as none, or said before anybody asked. */
  #mayBeSummary(type: Json | undefined, item: JsonObject): boolean {
    if (type !== "response_item" || item.type !== "message") return false;
    if (item.role !== "assistant") {
      if (item.role === "user") this.#isFresh = false;
      return false;
    }
    const isAnnounced = this.#announced === null || this.#announced === textAt(item, "id");
    return this.#isFresh || !isAnnounced;
  }

  #line(line: JsonObject, payload: JsonObject): readonly Heard[] {
    const at = timeOf(line.timestamp);
    switch (line.type) {
      case "session_meta":
        return this.#session(payload, at);
      case "turn_context":
        return this.#modelOf(payload, at);
      case "response_item":
        return this.#response(payload, textAt(line, "timestamp") ?? "", at);
      case "event_msg":
        return this.#event(payload, at);
      case "compacted":
        return [{ kind: "compacted", summary: textAt(payload, "message"), at }];
      default:
        return unlessPassed(PASSED_LINES, kindAt(line), "");
    }
  }

  /** A fork's file holds its parent's head, too: the first is its own. */
  #session(meta: JsonObject, at: HeardAt): readonly Heard[] {
    const nativeId = textAt(meta, "id");
    if (nativeId === null || this.#thread !== null) return [];
    this.#thread = nativeId;
    this.#folder = textAt(meta, "cwd");
    this.#isChild = objectAt(objectAt(meta, "source"), "subagent") !== null;
    return [
      {
        kind: "session",
        nativeId,
        cwd: this.#folder,
        version: textAt(meta, "cli_version"),
        branch: textAt(objectAt(meta, "git"), "branch"),
        model: null,
        at: timeOf(meta.timestamp) ?? at,
        parent: textAt(meta, "parent_thread_id") ?? textAt(meta, "forked_from_id"),
      },
    ];
  }

  /** The model stands in the turns, and may change. */
  #modelOf(context: JsonObject, at: HeardAt): readonly Heard[] {
    const model = textAt(context, "model");
    if (this.#thread === null || model === null || model === this.#model) return [];
    this.#model = model;
    const nothing = { cwd: null, version: null, branch: null, parent: null };
    return [{ kind: "session", nativeId: this.#thread, ...nothing, model, at }];
  }

  #response(item: JsonObject, time: string, at: HeardAt): readonly Heard[] {
    const id = textAt(item, "id") ?? madeId(time, JSON.stringify(item));
    const callId = textAt(item, "call_id") ?? id;
    switch (item.type) {
      case "message":
        if (item.role === "user") return userMessage(item, id, at, this.#isChild);
        // The program's own instructions: large, the vendor's, and nothing of the work.
        return item.role === "assistant" ? agentMessage(item, id, at) : [];
      case "agent_message":
        return otherAgentsMessage(item, id, at);
      case "reasoning":
        return reasoning(item, id, at);
      case "function_call":
      case "custom_tool_call":
      case "local_shell_call":
      case "tool_search_call":
        return callOf(item, callId, at);
      case "function_call_output":
      case "custom_tool_call_output":
        return this.#ends.told(callId, item.output, at);
      case "tool_search_output":
        return this.#ends.told(callId, "", at);
      case "web_search_call":
        return searchOf(item, id, at);
      default:
        return unlessPassed(PASSED_RESPONSES, kindAt(item), "response_item ");
    }
  }

  #noted(all: readonly Heard[]): readonly Heard[] {
    for (const heard of all) {
      if (heard.kind === "call") this.#ends.called(heard);
      if (heard.kind !== "message" || heard.from === "machinery") continue;
      if (heard.from === "person") this.#before = [...this.#before.slice(1 - MAX_TURNS), this.#lastMessage];
      this.#lastMessage = heard.id;
    }
    return all;
  }

  #event(event: JsonObject, at: HeardAt): readonly Heard[] {
    switch (event.type) {
      case "task_started":
      case "turn_started":
        this.#ends.turnBegan();
        this.#isFresh = true;
        return [{ kind: "turn-began", id: textAt(event, "turn_id"), at }];
      case "task_complete":
      case "turn_complete":
      case "turn_aborted":
        return turnEnd(event, at);
      case "token_count":
        return limitOf(objectAt(event, "rate_limits"), at);
      case "thread_rolled_back":
        return this.#takenBack(numberAt(event, "num_turns") ?? 0, at);
      case "patch_apply_end":
        return this.#ends.ended(patchResult(textAt(event, "call_id") ?? "", event, at));
      case "item_completed":
        return this.#item(objectAt(event, "item"), at);
      default:
        return unlessPassed(PASSED_EVENTS, kindAt(event), "event_msg ");
    }
  }

  #item(item: JsonObject | null, at: HeardAt): readonly Heard[] {
    switch (item?.type) {
      case "CommandExecution":
        return this.#ends.ended(commandResult(item, at, this.#folder));
      case "FileChange":
        return this.#ends.ended(patchResult(textAt(item, "id") ?? "", item, at));
      case "CollabAgentToolCall":
        return childrenOfItem(item, at);
      case "AgentMessage":
        this.#announced = textAt(item, "id");
        this.#isFresh = false;
        return [];
      default:
        return unlessPassed(PASSED_ITEMS, kindAt(item), "item ");
    }
  }

  #takenBack(turns: number, at: HeardAt): readonly Heard[] {
    const from = turns > 0 ? this.#before.length - turns : -1;
    const to = from < 0 ? undefined : this.#before[from];
    if (to === undefined) return [];
    this.#before = this.#before.slice(0, from);
    this.#lastMessage = to;
    return [{ kind: "rewound", to, at }];
  }
}

/** What is written between an answer and the record that says what it was. */
const isBesideAnswer = (type: Json | undefined, payload: JsonObject): boolean =>
  type === "token_usage_record" || (type === "event_msg" && payload.type === "token_count");

const unlessPassed = (passed: ReadonlySet<string>, type: string, where: string): readonly Heard[] =>
  passed.has(type) ? [] : [{ kind: "unknown", type: `${where}${type}` }];

/** The model's provider searched: it is written when it is over. */
function searchOf(item: JsonObject, id: string, at: HeardAt): readonly Heard[] {
  const call = { kind: "call" as const, id, tool: "web_search", does: "fetch" as const, at };
  const input = objectAt(item, "action") ?? {};
  return [
    { ...call, input, proof: "started", paths: [], edits: [], child: null },
    { kind: "result", call: id, status: "done", origin: "real", output: "", at, edits: [] },
  ];
}

function turnEnd(event: JsonObject, at: HeardAt): readonly Heard[] {
  const error = objectAt(event, "error");
  const isLimit = event.reason === "budget_limited" || error?.codex_error_info === "usage_limit_exceeded";
  const isCancelled = event.type === "turn_aborted" && !isLimit;
  const outcome = isCancelled ? "cancelled" : isLimit || error !== null ? "failed" : "completed";
  return [
    ...(isLimit ? [{ kind: "limit" as const, resetsAtMs: null, at }] : []),
    { kind: "turn-ended", outcome, proof: "record", at },
  ];
}

/** Said with every answer; only a limit that is reached counts. */
function limitOf(limits: JsonObject | null, at: HeardAt): readonly Heard[] {
  if (textAt(limits, "rate_limit_reached_type") === null) return [];
  const spent = [objectAt(limits, "primary"), objectAt(limits, "secondary")].filter(
    (window) => (numberAt(window, "used_percent") ?? 0) >= 100,
  );
  const resets = spent.flatMap((window) => numberAt(window, "resets_at") ?? []);
  return [{ kind: "limit", resetsAtMs: resets.length === 0 ? null : Math.max(...resets) * 1000, at }];
}
