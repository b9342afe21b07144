/** What `--output-format stream-json` says as it goes: the records of the transcript under the same ids, and its own word on the turn's end. */
import type { JsonObject } from "../../model/json.ts";
import type { LineReader } from "../words/adapter.ts";
import { numberAt, objectAt, textAt, timeOf } from "../words/fields.ts";
import type { Heard, HeardAt } from "../words/heard.ts";
import { ClaudeReader, childState } from "./transcript.ts";

export class ClaudeStream implements LineReader {
  readonly #records = new ClaudeReader();
  #answer = "answer";

  links(): null {
    return null;
  }

  read(line: JsonObject): readonly Heard[] {
    const at = timeOf(line.timestamp);
    switch (line.type) {
      case "assistant":
      case "user":
        return this.#records.read(asRecord(line));
      case "stream_event":
        return this.#growing(line, at);
      case "system":
        return systemNews(line, at);
      case "rate_limit_event":
        return limitReached(objectAt(line, "rate_limit_info"), at);
      case "result":
        return [{ kind: "turn-ended", outcome: outcomeOf(line), proof: "record", at }];
      default:
        return [];
    }
  }

  /** With `--include-partial-messages`. A subagent's growing text is not the session's. */
  #growing(line: JsonObject, at: HeardAt): readonly Heard[] {
    const event = objectAt(line, "event");
    if (event === null || typeof line.parent_tool_use_id === "string") return [];
    if (event.type === "message_start") this.#answer = textAt(objectAt(event, "message"), "id") ?? "answer";
    const id = `${textAt(line, "api_message_id") ?? this.#answer}/${numberAt(event, "index") ?? 0}`;
    if (event.type === "content_block_stop") return [{ kind: "delta-over", id, at }];
    const delta = event.type === "content_block_delta" ? objectAt(event, "delta") : null;
    const text = delta?.type === "text_delta" ? textAt(delta, "text") : null;
    return text === null ? [] : [{ kind: "delta", id, text, at }];
  }
}

/** The same record as the transcript has it, under the names it has there. */
function asRecord(line: JsonObject): JsonObject {
  return {
    type: line.type,
    uuid: line.uuid,
    timestamp: line.timestamp,
    sessionId: line.session_id,
    message: line.message,
    isSidechain: typeof line.parent_tool_use_id === "string",
    agentId: line.agent_id ?? line.parent_tool_use_id ?? undefined,
    toolUseResult: line.tool_use_result,
    isMeta: line.isSynthetic === true,
    isApiErrorMessage: typeof line.error === "string",
    error: line.error,
  };
}

function systemNews(line: JsonObject, at: HeardAt): readonly Heard[] {
  switch (line.subtype) {
    case "init":
      return [
        {
          kind: "session",
          nativeId: textAt(line, "session_id") ?? "",
          cwd: textAt(line, "cwd"),
          version: textAt(line, "claude_code_version"),
          branch: null,
          model: textAt(line, "model"),
          at,
          parent: null,
        },
      ];
    case "task_started":
      return childNews(line, "begun", at);
    case "task_notification":
      return childNews(line, childState(textAt(line, "status")), at);
    case "compact_boundary":
      return [{ kind: "compacted", summary: null, at }];
    default:
      return [];
  }
}

/** Shells in the background are tasks, too: only subagents have a kind, or an id of their form. */
function childNews(
  line: JsonObject,
  state: "begun" | "done" | "failed" | null,
  at: HeardAt,
): readonly Heard[] {
  const id = textAt(line, "task_id");
  if (id === null || state === null || !/^a[0-9a-f]{6,40}$/.test(id)) return [];
  return [{ kind: "child", id, label: textAt(line, "description") ?? "", state, transcript: null, at }];
}

function limitReached(info: JsonObject | null, at: HeardAt): readonly Heard[] {
  const resets = numberAt(info, "resetsAt");
  return info?.status === "rejected"
    ? [{ kind: "limit", resetsAtMs: resets === null ? null : resets * 1000, at }]
    : [];
}

function outcomeOf(line: JsonObject): "completed" | "cancelled" | "failed" {
  if (textAt(line, "terminal_reason")?.startsWith("aborted") === true) return "cancelled";
  return line.subtype === "success" && line.is_error !== true ? "completed" : "failed";
}
