/**
 * Copilot CLI's journal of events, each below the one before it, those of its subagents between the others. What it calls a turn is one
 * answer of the model; the person's turn is over with the answer that asks for no tool.
 */
import type { JsonObject } from "../../model/json.ts";
import type { Part } from "../../model/parts.ts";
import type { LineReader, LinesFormat } from "../words/adapter.ts";
import { inputOf, kindAt, listAt, numberAt, objectAt, textAt, timeOf } from "../words/fields.ts";
import { personsWords } from "../words/go-on.ts";
import type { Heard, HeardAt, HeardCall, HeardMessage, LineLinks } from "../words/heard.ts";
import { todosOf } from "./todos.ts";
import { callOf, editsDone, isSyntheticError } from "./tools.ts";

/** What else it keeps, as the schema of 1.0.102 lists it: known, and of no use here. What is `ephemeral` is only in its live output. */
const PASSED_OVER: ReadonlySet<string> = new Set([
  ...["assistant.fusion_phase_completed", "assistant.fusion_phase_failed", "assistant.reasoning"],
  ...["external_tool.requested", "hook.end", "hook.start", "human_response.recorded"],
  ...["mcp.oauth_recovery_completed", "permission.assentDetected", "permission.carriedForward"],
  ...["permission.completed", "permission.contextualAuthorization", "permission.messageAuthorization"],
  ...["permission.messageAuthorizationDegraded", "permission.messageAuthorizationRead"],
  ...["permission.requested", "session.auto_mode_resolved", "session.autopilot_objective_changed"],
  ...["session.binary_asset", "session.canvas.recorded", "session.canvas.removed"],
  ...["session.compaction_start", "session.completion_receipt", "session.context_changed"],
  ...["session.context_cleared", "session.fusion_change_checkpoint", "session.fusion_commit_started"],
  ...["session.fusion_completed", "session.fusion_handoff", "session.fusion_resolved"],
  ...["session.fusion_route_failed", "session.handoff", "session.info", "session.mode_changed"],
  ...["session.mode_notice_delivered", "session.model_change", "session.model_deselected"],
  ...["session.permission_recovery", "session.permissions_changed", "session.plan_changed"],
  ...["session.remote_steerable_changed", "session.request_body_compression_disabled", "session.resume"],
  ...["session.schedule_cancelled", "session.schedule_created", "session.schedule_rearmed"],
  ...["session.session_limits_changed", "session.task_complete", "session.usage_checkpoint"],
  ...["session.usage_record", "session.warning", "session.workspace_file_changed"],
  ...["skill.context_delivered", "skill.context_delivered_ref", "skill.invoked", "skill.invoked_ref"],
  ...["subagent.configured", "subagent.deselected", "subagent.selected", "system.message"],
  ...["tool.user_requested", "tool_search.activated"],
]);

export const copilotTranscript: LinesFormat = {
  storage: "lines",
  remembers: true,
  recognizes: ([head]) =>
    head?.type === "session.start" && typeof textAt(objectAt(head, "data"), "copilotVersion") === "string",
  reader: () => new CopilotReader(),
};

/** What it asked a model for itself, to shorten its context: whole requests, and nothing of the conversation. */
const isOfRequest = (line: JsonObject): boolean => kindAt(line).startsWith("model.");

export class CopilotReader implements LineReader {
  /** Whether the last answer of this round was one that asks for no tool. */
  #isAnswered = false;
  /** Calls whose results are still to come: only these say which file a result is of. */
  readonly #calls = new Map<string, HeardCall>();

  links(line: JsonObject): LineLinks | null {
    const id = textAt(line, "id");
    // The telling of its own requests hangs below events that are kept nowhere.
    if (isOfRequest(line)) return { id };
    return id === null || line.parentId === undefined ? null : { id, parent: textAt(line, "parentId") };
  }

  relink(line: JsonObject, parent: string | null): JsonObject {
    return { ...line, parentId: parent };
  }

  read(line: JsonObject): readonly Heard[] {
    const at = timeOf(line.timestamp);
    const data = objectAt(line, "data");
    const child = textAt(line, "agentId") ?? textAt(data, "parentToolCallId");
    switch (line.type) {
      case "session.start":
        return session(data, at);
      case "user.message":
        return userSaid(line, data, at, child);
      case "system.notification":
        return [
          said(idOf(line, data), "user", [text(textAt(data, "content") ?? "")], at, "machinery", child),
        ];
      case "assistant.turn_start":
        return this.#asked(at, child);
      case "assistant.message":
        return this.#answer(line, data, at, child);
      case "assistant.turn_end":
        return this.#roundEnded(at, child);
      case "tool.execution_start":
        return this.#call(data, at, child);
      case "tool.execution_complete":
        return this.#result(data, at);
      default:
        return eventNews(line, data, at, child);
    }
  }

  #asked(at: HeardAt, child: string | null): readonly Heard[] {
    if (child !== null) return [];
    this.#isAnswered = false;
    return [{ kind: "asked-model", at }];
  }

  #answer(line: JsonObject, data: JsonObject | null, at: HeardAt, child: string | null): readonly Heard[] {
    if (child === null) this.#isAnswered = listAt(data, "toolRequests").length === 0;
    const thought = textAt(data, "reasoningText") ?? "";
    const words = textAt(data, "content") ?? "";
    const parts: readonly Part[] = [
      ...(thought === "" ? [] : [{ type: "thinking", text: thought } as const]),
      ...(words === "" ? [] : [text(words)]),
    ];
    return parts.length === 0 ? [] : [said(idOf(line, data), "assistant", parts, at, "agent", child)];
  }

  /** Also written when it was cut off, then without an answer (L7). */
  #roundEnded(at: HeardAt, child: string | null): readonly Heard[] {
    if (child !== null || !this.#isAnswered) return [];
    return [{ kind: "turn-ended", outcome: "completed", proof: "record", at }];
  }

  #call(data: JsonObject | null, at: HeardAt, child: string | null): readonly Heard[] {
    const id = textAt(data, "toolCallId") ?? "";
    const call = callOf(id, textAt(data, "toolName") ?? "", inputOf(data?.arguments), at, child);
    this.#calls.set(id, call);
    return [call];
  }

  #result(data: JsonObject | null, at: HeardAt): readonly Heard[] {
    const id = textAt(data, "toolCallId") ?? "";
    const call = this.#calls.get(id) ?? null;
    this.#calls.delete(id);
    const error = objectAt(data, "error");
    const isSynthetic = isSyntheticError(error);
    const isDone = data?.success === true;
    const exitCode = numberAt(objectAt(data, "shellExecution"), "exitCode");
    const result = objectAt(data, "result");
    return [
      {
        kind: "result",
        call: id,
        status: isSynthetic ? "cancelled" : isDone && (exitCode ?? 0) === 0 ? "done" : "failed",
        origin: isSynthetic ? "synthetic" : "real",
        output: textAt(result, "content") ?? textAt(error, "message") ?? "",
        at,
        edits: isDone && call !== null ? editsDone(call, result) : [],
      },
      ...(isDone && call !== null && call.child === null ? todosOf(call, at) : []),
    ];
  }
}

function session(data: JsonObject | null, at: HeardAt): readonly Heard[] {
  const context = objectAt(data, "context");
  return [
    {
      kind: "session",
      nativeId: textAt(data, "sessionId") ?? "",
      cwd: textAt(context, "cwd"),
      version: textAt(data, "copilotVersion"),
      branch: textAt(context, "branch"),
      model: textAt(data, "selectedModel"),
      at,
      parent: null,
    },
  ];
}

/** A source is named where a skill, another agent or its own loop put the words there. */
function userSaid(
  line: JsonObject,
  data: JsonObject | null,
  at: HeardAt,
  child: string | null,
): readonly Heard[] {
  const words = textAt(data, "content") ?? "";
  const isTyped = child === null && data?.source === undefined && data?.isAutopilotContinuation !== true;
  const own = isTyped ? personsWords(words) : null;
  const from = own === null ? "machinery" : "person";
  return [said(idOf(line, data), "user", [text(own ?? words)], at, from, child)];
}

const LIMITS: ReadonlySet<string> = new Set(["rate_limit", "quota"]);

function eventNews(
  line: JsonObject,
  data: JsonObject | null,
  at: HeardAt,
  child: string | null,
): readonly Heard[] {
  switch (line.type) {
    case "subagent.started":
      return childNews(data, child, "begun", at);
    case "subagent.completed":
      return childNews(data, child, "done", at);
    case "subagent.failed":
      return childNews(data, child, "failed", at);
    case "abort":
      return child === null ? [{ kind: "turn-ended", outcome: "cancelled", proof: "record", at }] : [];
    case "session.error":
      return failed(data, at, child);
    case "session.compaction_complete":
      return data?.success === true && child === null
        ? [{ kind: "compacted", summary: textAt(data, "summaryContent"), at }]
        : [];
    case "session.truncation":
      return child === null ? [{ kind: "compacted", summary: null, at }] : [];
    case "session.shutdown":
      return [{ kind: "ended", at }];
    default: {
      const isKnown = PASSED_OVER.has(kindAt(line)) || line.ephemeral === true || isOfRequest(line);
      return isKnown ? [] : [{ kind: "unknown", type: kindAt(line) }];
    }
  }
}

function childNews(
  data: JsonObject | null,
  child: string | null,
  state: "begun" | "done" | "failed",
  at: HeardAt,
): readonly Heard[] {
  const id = child ?? textAt(data, "toolCallId");
  const label = textAt(data, "agentDescription") ?? textAt(data, "agentDisplayName") ?? "";
  return id === null ? [] : [{ kind: "child", id, label, state, transcript: null, at }];
}

function failed(data: JsonObject | null, at: HeardAt, child: string | null): readonly Heard[] {
  const isLimit = LIMITS.has(textAt(data, "errorType") ?? "");
  return [
    ...(isLimit ? [{ kind: "limit" as const, resetsAtMs: null, at }] : []),
    ...(child === null
      ? [{ kind: "turn-ended" as const, outcome: "failed" as const, proof: "record" as const, at }]
      : []),
  ];
}

/** A message keeps its own id while it is streamed and when it is written. */
const idOf = (line: JsonObject, data: JsonObject | null): string =>
  textAt(data, "messageId") ?? textAt(line, "id") ?? "";

const text = (value: string): Part => ({ type: "text", text: value });

function said(
  id: string,
  role: "user" | "assistant",
  parts: readonly Part[],
  at: HeardAt,
  from: HeardMessage["from"],
  child: string | null,
): HeardMessage {
  return { kind: "message", id, role, parts, at, from, child };
}
