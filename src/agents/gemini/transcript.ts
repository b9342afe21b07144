/**
 * Gemini CLI's sessions: messages, each written again whole when it changes, and patches of what stands above them. A call is there
 * only when it is over: one that was running at the death is in no transcript, and an answer before it reads like a last one.
 */
import { createHash } from "node:crypto";
import type { Json, JsonObject } from "../../model/json.ts";
import type { Part } from "../../model/parts.ts";
import type { LineReader, LinesFormat } from "../words/adapter.ts";
import {
  contentText,
  inputOf,
  kindAt,
  objectAt,
  objectOf,
  objectsAt,
  textAt,
  timeOf,
} from "../words/fields.ts";
import type { Heard, HeardAt, HeardResult, ToolKind } from "../words/heard.ts";
import { callHeard, editsShown, partsIn, planIn, responsesIn, responseText, saidIn } from "./content.ts";

const TOOLS: Readonly<Record<string, ToolKind>> = {
  read_file: "read",
  read_many_files: "read",
  write_file: "edit",
  replace: "edit",
  run_shell_command: "execute",
  glob: "search",
  grep_search: "search",
  search_file_content: "search",
  list_directory: "search",
  google_web_search: "fetch",
  web_fetch: "fetch",
  write_todos: "plan",
  invoke_agent: "delegate",
};

export const toolKind = (tool: string): ToolKind =>
  Object.hasOwn(TOOLS, tool) ? (TOOLS[tool] ?? "other") : "other";

/** What Gemini's program says in the place of a person, of the model or of a result, by the version where it was seen or read. */
const MACHINERY: readonly { readonly version: string; readonly begins: string }[] = [
  { version: "0.61.0", begins: "<session_context>" },
  { version: "0.61.0", begins: "<hook_context>" },
  { version: "0.61.0", begins: "[The previous response was interrupted" },
];
const MADE_UP: readonly { readonly version: string; readonly begins: string }[] = [
  { version: "0.61.0", begins: "[Operation Cancelled]" },
];
const CANCELLED: readonly { readonly version: string; readonly text: string }[] = [
  { version: "0.61.0", text: "Request cancelled." },
  { version: "0.61.0", text: "User cancelled the request." },
];
const LIMIT = /exhausted your (?:daily )?(?:quota|capacity)|quota exceeded|RESOURCE_EXHAUSTED/i;

export const geminiTranscript: LinesFormat = {
  storage: "lines",
  recognizes: (first) =>
    first.some((line) => typeof line.sessionId === "string" && typeof line.projectHash === "string"),
  reader: () => new GeminiReader(),
};

class GeminiReader implements LineReader {
  /** In order; a hash of what each said last, so that the same words are heard once and are not held. */
  readonly #said = new Map<string, string>();
  readonly #over = new Set<string>();
  /** The subagent whose file this is. */
  #child: string | null = null;
  #isNamed = false;

  links(line: JsonObject): ReturnType<LineReader["links"]> {
    const id = textAt(line, "id");
    return id === null ? null : { id, mayRepeat: true };
  }

  read(line: JsonObject): readonly Heard[] {
    const rewound = textAt(line, "$rewindTo");
    if (rewound !== null) return this.#rewind(rewound, timeOf(line.timestamp));
    const patch = objectAt(line, "$set");
    if (patch !== null) return objectsAt(patch, "messages").flatMap((one) => this.#message(one));
    if (typeof line.sessionId === "string" && typeof line.projectHash === "string") return this.#head(line);
    if (typeof line.id === "string") return this.#message(line);
    return [{ kind: "unknown", type: Object.keys(line).slice(0, 3).join(" ") }];
  }

  /** Written a second time when the session is resumed. */
  #head(line: JsonObject): readonly Heard[] {
    const old = objectsAt(line, "messages").flatMap((one) => this.#message(one));
    if (this.#isNamed) return old;
    this.#isNamed = true;
    const nativeId = textAt(line, "sessionId") ?? "";
    if (line.kind === "subagent") this.#child = nativeId;
    const at = timeOf(line.startTime);
    // Which folder it is about only the project's folder says.
    const none = { cwd: null, version: null, branch: null, model: null, parent: null };
    return [{ kind: "session", nativeId, at, ...none }, ...old];
  }

  #message(line: JsonObject): readonly Heard[] {
    const id = textAt(line, "id");
    if (id === null) return [];
    const at = timeOf(line.timestamp);
    switch (line.type) {
      case "user":
        return [...this.#once(id, this.#asked(id, line, at)), ...this.#responses(line, at)];
      case "gemini":
        return this.#answered(id, line, at);
      case "info":
      case "warning":
      case "error":
        return this.#once(id, told(line, at));
      default:
        return [{ kind: "unknown", type: `message ${kindAt(line)}` }];
    }
  }

  /** Nothing where the same was heard under this id before. */
  #once(id: string, heard: readonly Heard[]): readonly Heard[] {
    const now = createHash("sha256").update(JSON.stringify(heard)).digest("base64");
    if (this.#said.get(id) === now) return [];
    this.#said.set(id, now);
    return heard;
  }

  #asked(id: string, line: JsonObject, at: HeardAt): readonly Heard[] {
    const parts = saidIn(line.content);
    if (parts.length === 0) return [];
    const isMachinery = this.#child !== null || begins(MACHINERY, contentText(line.content).trimStart());
    const from = isMachinery ? "machinery" : "person";
    return [{ kind: "message", id, role: "user", parts, at, from, child: this.#child }];
  }

  /** A result stands with its call, too, where it says more; here it counts only where that was lost. */
  #responses(line: JsonObject, at: HeardAt): readonly Heard[] {
    return responsesIn(line.content).flatMap((response): Heard[] => {
      const call = textAt(response, "id");
      if (call === null || this.#over.has(call)) return [];
      this.#over.add(call);
      const output = responseText(objectAt(response, "response"));
      const isError = objectAt(response, "response")?.error !== undefined;
      return [resultOf({ call, status: isError ? "error" : "success", output, at, edits: [] })];
    });
  }

  #answered(id: string, line: JsonObject, at: HeardAt): readonly Heard[] {
    const calls = objectsAt(line, "toolCalls");
    const asked = partsIn(line.content).flatMap((part) => this.#requested(part, at));
    const parts = [...thoughts(line), ...saidIn(line.content)];
    const isMachinery = begins(MACHINERY, contentText(line.content));
    const said = this.#once(
      id,
      parts.length === 0
        ? []
        : [
            {
              kind: "message",
              id,
              role: "assistant",
              parts,
              at,
              from: isMachinery ? "machinery" : "agent",
              child: this.#child,
            },
          ],
    );
    const over = calls.flatMap((call) => this.#call(call));
    const isLast = calls.length === 0 && asked.length === 0 && said.length > 0 && !isMachinery;
    return [
      ...said,
      ...asked,
      ...over,
      ...(isLast
        ? [{ kind: "turn-ended" as const, outcome: "completed" as const, proof: "inferred" as const, at }]
        : []),
    ];
  }

  /** A call inside the answer itself: newer versions write it before it runs. */
  #requested(part: Json, at: HeardAt): readonly Heard[] {
    const call = objectAt(objectOf(part), "functionCall");
    const id = textAt(call, "id");
    return call === null || id === null
      ? []
      : [callOf(id, textAt(call, "name") ?? "", inputOf(call.args), at, this.#child)];
  }

  #call(record: JsonObject): readonly Heard[] {
    const id = textAt(record, "id");
    if (id === null || this.#over.has(id)) return [];
    const tool = textAt(record, "name") ?? "";
    const input = inputOf(record.args);
    const at = timeOf(record.timestamp);
    const call = callOf(id, tool, input, at, this.#child);
    const status = textAt(record, "status") ?? "";
    if (!["success", "error", "cancelled"].includes(status)) return [call];
    this.#over.add(id);
    const [response] = responsesIn(record.result);
    const output =
      response === undefined ? contentText(record.result) : responseText(objectAt(response, "response"));
    const display = objectAt(record, "resultDisplay");
    const isNew = typeof display?.isNewFile === "boolean" ? display.isNewFile : null;
    const edits = status === "success" ? editsShown({ tool, input, display, isNew }) : [];
    const isPlan = tool === "write_todos" && status === "success";
    return [
      call,
      ...childOf(record, status, at),
      resultOf({ call: id, status, output, at, edits }),
      ...(isPlan ? [{ kind: "plan" as const, items: planIn(input, "description"), at }] : []),
    ];
  }

  /** The named message and all behind it are gone. */
  #rewind(id: string, at: HeardAt): readonly Heard[] {
    const ids = [...this.#said.keys()];
    const place = ids.indexOf(id);
    for (const gone of ids.slice(Math.max(place, 0))) this.#said.delete(gone);
    const to = ids[place - 1];
    return place <= 0 || to === undefined ? [] : [{ kind: "rewound", to, at }];
  }
}

export const callOf = (
  id: string,
  tool: string,
  input: JsonObject,
  at: HeardAt,
  child: string | null,
): Heard => callHeard({ id, tool, does: toolKind(tool), input, at, child });

const STATUSES: Readonly<Record<string, HeardResult["status"]>> = {
  success: "done",
  error: "failed",
  cancelled: "cancelled",
};

interface ResultSaid extends Pick<HeardResult, "call" | "output" | "at" | "edits"> {
  readonly status: string;
}

export function resultOf({ call, status, output, at, edits }: ResultSaid): Heard {
  const isMadeUp = status !== "success" && begins(MADE_UP, output);
  return {
    kind: "result",
    call,
    status: Object.hasOwn(STATUSES, status) ? (STATUSES[status] ?? "failed") : "failed",
    origin: isMadeUp ? "synthetic" : "real",
    output,
    at,
    edits,
  };
}

function childOf(record: JsonObject, status: string, at: HeardAt): readonly Heard[] {
  const id = textAt(record, "agentId");
  if (id === null || toolKind(textAt(record, "name") ?? "") !== "delegate") return [];
  const label = textAt(record, "description") ?? "";
  return [
    { kind: "child", id, label, state: status === "success" ? "done" : "failed", transcript: null, at },
  ];
}

/** What its program tells the person. */
function told(line: JsonObject, at: HeardAt): readonly Heard[] {
  const words = contentText(line.content);
  if (CANCELLED.some(({ text }) => words === text))
    return [{ kind: "turn-ended", outcome: "cancelled", proof: "record", at }];
  return line.type === "error" && LIMIT.test(words) ? [{ kind: "limit", resetsAtMs: null, at }] : [];
}

const thoughts = (line: JsonObject): readonly Part[] =>
  objectsAt(line, "thoughts").flatMap((thought) => {
    const words = [textAt(thought, "subject"), textAt(thought, "description")].filter(
      (one) => one !== null && one !== "",
    );
    return words.length === 0 ? [] : [{ type: "thinking", text: words.join("\n") }];
  });

const begins = (table: readonly { readonly begins: string }[], text: string): boolean =>
  table.some((one) => text.startsWith(one.begins));
