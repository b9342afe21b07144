/**
 * Qwen Code's sessions: a list of records in which each names the one before it, telemetry too. The results of calls that were asked for
 * together are written together: of one that was over when the process died among others, only the telemetry knows.
 */
import type { JsonObject } from "../../model/json.ts";
import {
  callHeard,
  editsShown,
  partsIn,
  planIn,
  responsesIn,
  responseText,
  saidIn,
} from "../gemini/content.ts";
import type { LineReader, LinesFormat } from "../words/adapter.ts";
import {
  contentText,
  inputOf,
  kindAt,
  numberAt,
  objectAt,
  objectOf,
  textAt,
  timeOf,
} from "../words/fields.ts";
import type { Heard, HeardAt, HeardCall, HeardResult, ToolKind } from "../words/heard.ts";

const TOOLS: Readonly<Record<string, ToolKind>> = {
  read_file: "read",
  read_many_files: "read",
  write_file: "edit",
  edit: "edit",
  notebook_edit: "edit",
  run_shell_command: "execute",
  glob: "search",
  grep_search: "search",
  list_directory: "search",
  web_fetch: "fetch",
  web_search: "fetch",
  todo_write: "plan",
  agent: "delegate",
  task: "delegate",
};

export const toolKind = (tool: string): ToolKind =>
  Object.hasOwn(TOOLS, tool) ? (TOOLS[tool] ?? "other") : "other";

/** Results Qwen made up for calls whose result it never had: on disk, or only in the request of a resumed conversation. */
const MADE_UP: readonly { readonly version: string; readonly begins: string }[] = [
  { version: "0.24.4", begins: "[Operation Cancelled]" },
  { version: "0.24.4", begins: "Tool execution result was not recorded" },
];
export const isMadeUp = (output: string): boolean => MADE_UP.some(({ begins }) => output.startsWith(begins));

/** Records beside the conversation: known, and of no use here. */
const PASSED_OVER = new Set([
  "slash_command",
  "at_command",
  "attribution_snapshot",
  "custom_title",
  "parent_session",
  "session_source",
  "session_model",
  "agent_bootstrap",
  "agent_launch_prompt",
  "agent_retry",
  "file_history_snapshot",
  "user_text_elements",
  "session_artifact_event",
  "session_artifact_snapshot",
  "branch_checkpoint",
  "goal_state",
]);
/** Words in the person's place that somebody else put there. */
const NOT_THE_PERSONS = new Set(["notification", "cron", "goal_runtime"]);

export const qwenTranscript: LinesFormat = {
  storage: "lines",
  remembers: true,
  recognizes: (first) => first.some(isRecord),
  reader: () => new QwenReader(),
};

/** Claude's records have the same names for where they stand, but their contents are not in Gemini's form. */
function isRecord(line: JsonObject): boolean {
  if (typeof line.uuid !== "string" || typeof line.sessionId !== "string") return false;
  return (
    Array.isArray(objectAt(line, "message")?.parts) ||
    (line.type === "system" && objectAt(line, "systemPayload") !== null)
  );
}

class QwenReader implements LineReader {
  #isNamed = false;
  #isModelKnown = false;
  /** Calls by id: what they were asked to do, until their result is there. */
  readonly #open = new Map<string, HeardCall>();
  /** What the telemetry says of calls whose result is not there. */
  readonly #over = new Map<string, HeardResult>();

  links(line: JsonObject): ReturnType<LineReader["links"]> {
    const id = textAt(line, "uuid");
    return id === null ? null : { id, parent: textAt(line, "parentUuid") };
  }

  /** Its history is a list over these: where one is missing, all before it is gone for Qwen. */
  relink(line: JsonObject, parentUuid: string | null): JsonObject {
    return { ...line, parentUuid };
  }

  read(line: JsonObject): readonly Heard[] {
    const at = timeOf(line.timestamp);
    const heard = this.#record(line, textAt(line, "uuid") ?? "", at);
    const hasModel = !this.#isModelKnown && typeof line.model === "string";
    if ((this.#isNamed && !hasModel) || typeof line.sessionId !== "string") return heard;
    this.#isNamed = true;
    this.#isModelKnown = hasModel;
    return [session(line, at), ...heard];
  }

  /** A call that was over, among others that were not, has no result of its own on disk. */
  end(): readonly Heard[] {
    return [...this.#over.values()];
  }

  #record(line: JsonObject, id: string, at: HeardAt): readonly Heard[] {
    const message = objectAt(line, "message");
    switch (line.type) {
      case "user":
        return asked(line, id, message, at);
      case "assistant":
        return this.#answered(line, id, message, at);
      case "tool_result":
        return responsesIn(message?.parts).flatMap((response) => this.#result(line, response, at));
      case "system":
        return this.#beside(line, at);
      default:
        return [{ kind: "unknown", type: kindAt(line) }];
    }
  }

  #answered(line: JsonObject, id: string, message: JsonObject | null, at: HeardAt): readonly Heard[] {
    const child = textAt(line, "agentId");
    const parts = saidIn(message?.parts);
    const calls = partsIn(message?.parts).flatMap((part): HeardCall[] => {
      const call = objectAt(objectOf(part), "functionCall");
      const callId = textAt(call, "id");
      const tool = textAt(call, "name") ?? "";
      if (call === null || callId === null) return [];
      return [callHeard({ id: callId, tool, does: toolKind(tool), input: inputOf(call.args), at, child })];
    });
    for (const call of calls) this.#open.set(call.id, call);
    const isLast = calls.length === 0 && parts.length > 0;
    return [
      ...(parts.length === 0
        ? []
        : [
            {
              kind: "message" as const,
              id,
              role: "assistant" as const,
              parts,
              at,
              from: "agent" as const,
              child,
            },
          ]),
      ...calls,
      ...(isLast
        ? [{ kind: "turn-ended" as const, outcome: "completed" as const, proof: "inferred" as const, at }]
        : []),
    ];
  }

  #result(line: JsonObject, response: JsonObject, at: HeardAt): readonly Heard[] {
    const call = textAt(response, "id");
    if (call === null) return [];
    const said = objectAt(line, "toolCallResult");
    const output = responseText(objectAt(response, "response"));
    const asked = this.#open.get(call);
    this.#open.delete(call);
    this.#over.delete(call);
    const status = statusOf(said, objectAt(response, "response"));
    const result: HeardResult = {
      kind: "result",
      call,
      status,
      origin: status !== "done" && isMadeUp(output) ? "synthetic" : "real",
      output,
      at,
      edits: status === "done" && asked !== undefined ? shown(asked, said, output) : [],
    };
    const isPlan = asked?.tool === "todo_write" && status === "done";
    return [
      result,
      ...(isPlan ? [{ kind: "plan" as const, items: planIn(asked.input, "content"), at }] : []),
    ];
  }

  #beside(line: JsonObject, at: HeardAt): readonly Heard[] {
    const payload = objectAt(line, "systemPayload");
    switch (line.subtype) {
      case "ui_telemetry":
        this.#measured(objectAt(payload, "uiEvent"), at);
        return [];
      case "chat_compression":
        return [{ kind: "compacted", summary: null, at }];
      case "rewind": {
        const to = textAt(line, "parentUuid");
        return to === null ? [] : [{ kind: "rewound", to, at }];
      }
      case "turn_result":
        return settled(payload, at);
      default:
        return PASSED_OVER.has(kindAt(line, "subtype"))
          ? []
          : [{ kind: "unknown", type: `system ${kindAt(line, "subtype")}` }];
    }
  }

  #measured(event: JsonObject | null, at: HeardAt): void {
    const call = event?.["event.name"] === "qwen-code.tool_call" ? textAt(event, "call_id") : null;
    if (call === null || !this.#open.has(call)) return;
    const status = event?.status === "success" ? "done" : event?.status === "error" ? "failed" : null;
    if (status === null) return;
    this.#over.set(call, { kind: "result", call, status, origin: "real", output: "", at, edits: [] });
  }
}

function session(line: JsonObject, at: HeardAt): Heard {
  const own = textAt(line, "sessionId") ?? "";
  const agent = textAt(line, "agentId");
  return {
    kind: "session",
    nativeId: agent ?? own,
    cwd: textAt(line, "cwd"),
    version: textAt(line, "version"),
    branch: textAt(line, "gitBranch"),
    model: textAt(line, "model"),
    at,
    parent: agent === null ? null : own,
  };
}

function asked(line: JsonObject, id: string, message: JsonObject | null, at: HeardAt): readonly Heard[] {
  const parts = saidIn(message?.parts);
  if (parts.length === 0) return [];
  const child = textAt(line, "agentId");
  const isMachinery =
    child !== null ||
    NOT_THE_PERSONS.has(kindAt(line, "subtype")) ||
    (line.provenance !== undefined && line.provenance !== "real_user") ||
    contentText(message?.parts).startsWith("<system-reminder>");
  return [
    { kind: "message", id, role: "user", parts, at, from: isMachinery ? "machinery" : "person", child },
  ];
}

/** Nothing but the status: an error text is also what a command printed. */
function statusOf(said: JsonObject | null, response: JsonObject | null): HeardResult["status"] {
  const exit = numberAt(objectAt(said, "resultDisplay"), "exitCode");
  switch (said?.status) {
    case "success":
      return exit === null || exit === 0 ? "done" : "failed";
    case "cancelled":
      return "cancelled";
    case "error":
      return "failed";
    default:
      return response?.error === undefined ? "done" : "failed";
  }
}

function shown(call: HeardCall, said: JsonObject | null, output: string): HeardResult["edits"] {
  const display = objectAt(said, "resultDisplay");
  const edits = editsShown({ tool: call.tool, input: call.input, display, output });
  // A byte order mark and the file's encoding are kept by Qwen and not told.
  return edits.map((edit) =>
    "before" in edit && edit.before === null ? edit : { ...edit, areLineEndsLost: true as const },
  );
}

function settled(payload: JsonObject | null, at: HeardAt): readonly Heard[] {
  const state = textAt(payload, "state");
  const outcome = state === "completed" ? "completed" : state === "cancelled" ? "cancelled" : "failed";
  return [{ kind: "turn-ended", outcome, proof: "record", at: numberAt(payload, "endedAt") ?? at }];
}
