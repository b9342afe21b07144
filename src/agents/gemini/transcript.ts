/**
 * Gemini CLI's sessions: messages, each written again whole when it changes, and patches of what stands above them. A call is there
 * only when it is over: one that was running at the death is in no transcript, and an answer before it reads like a last one.
 */
import { createHash } from "node:crypto";
import type { Json, JsonObject } from "../../model/json.ts";
import { isText, type Part } from "../../model/parts.ts";
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
import type { Heard, HeardAt, HeardCall, HeardMessage, HeardResult, ToolKind } from "../words/heard.ts";
import {
  callHeard,
  editsShown,
  partsIn,
  planIn,
  responsesIn,
  responseText,
  saidIn,
  splitHookContext,
} from "./content.ts";

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
const IMPORTED = /^Imported session from (.+)$/;
const LIMIT = /exhausted your (?:daily )?(?:quota|capacity)|quota exceeded|RESOURCE_EXHAUSTED/i;

export const geminiTranscript: LinesFormat = {
  storage: "lines",
  remembers: true,
  recognizes: (first) =>
    first.some((line) => typeof line.sessionId === "string" && typeof line.projectHash === "string"),
  reader: () => new GeminiReader(),
};

/** The first words its program put into a conversation that it shortened, below the opening. */
function summaryIn(heard: readonly Heard[]): string | null {
  for (const one of heard) {
    if (one.kind !== "message" || one.role !== "user" || one.from !== "machinery") continue;
    const text = one.parts.map((part) => (isText(part) ? part.text : "")).join("");
    if (!begins(MACHINERY, text.trimStart())) return text;
  }
  return null;
}

class GeminiReader implements LineReader {
  /** In order; a hash of what each said last, so that the same words are heard once and are not held. */
  readonly #said = new Map<string, string>();
  readonly #told = new Set<string>();
  readonly #called = new Set<string>();
  readonly #over = new Set<string>();
  /** The subagent whose file this is. */
  #child: string | null = null;
  #nativeId = "";

  links(line: JsonObject): ReturnType<LineReader["links"]> {
    const id = textAt(line, "id");
    if (objectAt(line, "$set") !== null) return { id: null };
    // A call has an id, too, and no type.
    return id === null || typeof line.type !== "string" ? null : { id, mayRepeat: true };
  }

  read(line: JsonObject): readonly Heard[] {
    const rewound = textAt(line, "$rewindTo");
    if (rewound !== null) return this.#rewind(rewound, timeOf(line.timestamp));
    const patch = objectAt(line, "$set");
    if (patch !== null) return this.#restated(objectsAt(patch, "messages"), timeOf(patch.lastUpdated));
    if (typeof line.sessionId === "string" && typeof line.projectHash === "string") return this.#head(line);
    if (typeof line.id === "string") return this.#message(line);
    return [{ kind: "unknown", type: Object.keys(line).slice(0, 3).join(" ") }];
  }

  /**
   * The whole conversation again, when it is resumed or was shortened: what is not in it the model has lost. Only its opening stands there
   * first when it is resumed, and all of it follows. What is new in one that was shortened its program put there: the summary, as if the
   * person had said it, and an answer to that.
   */
  #restated(messages: readonly JsonObject[], at: HeardAt): readonly Heard[] {
    const ids = new Set(messages.map((one) => textAt(one, "id")));
    const isOpening = messages.every((one) => begins(MACHINERY, contentText(one.content).trimStart()));
    const lost = isOpening ? [] : [...this.#said.keys()].filter((id) => !ids.has(id));
    if (lost.length === 0) return messages.flatMap((one) => this.#message(one));
    const known = new Set(this.#said.keys());
    for (const id of lost) this.#said.delete(id);
    const heard = messages.flatMap((one) =>
      this.#message(one).map((each): Heard => {
        const isMadeUp = each.kind === "message" && !known.has(each.id);
        return isMadeUp ? { ...each, from: "machinery" } : each;
      }),
    );
    const isEnd = ({ kind }: Heard): boolean => kind === "turn-ended";
    return [{ kind: "compacted", summary: summaryIn(heard), at }, ...heard.filter((one) => !isEnd(one))];
  }

  /** Written a second time when the session is resumed. */
  #head(line: JsonObject): readonly Heard[] {
    const old = objectsAt(line, "messages").flatMap((one) => this.#message(one));
    if (this.#nativeId !== "") return old;
    const nativeId = textAt(line, "sessionId") ?? "";
    this.#nativeId = nativeId;
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
        if (this.#told.has(id)) return [];
        this.#told.add(id);
        return [...this.#imported(id, line, at), ...told(line, at)];
      default:
        return [{ kind: "unknown", type: `message ${kindAt(line)}` }];
    }
  }

  /** Its first words where it was begun as a copy of another's file (0.61.0). */
  #imported(id: string, line: JsonObject, at: HeardAt): readonly Heard[] {
    const [, parent] = IMPORTED.exec(contentText(line.content)) ?? [];
    if (parent === undefined || line.type !== "info" || !id.startsWith("import-")) return [];
    const none = { cwd: null, version: null, branch: null, model: null };
    return [{ kind: "session", nativeId: this.#nativeId, at, ...none, parent }];
  }

  /** Nothing where the same was heard under this id before, whenever it was written. */
  #once(id: string, heard: readonly Heard[]): readonly Heard[] {
    if (heard.length === 0) return [];
    const words = heard.map((one) => ("at" in one ? { ...one, at: null } : one));
    const now = createHash("sha256").update(JSON.stringify(words)).digest("base64");
    if (this.#said.get(id) === now) return [];
    this.#said.set(id, now);
    return heard;
  }

  #asked(id: string, line: JsonObject, at: HeardAt): readonly Heard[] {
    const parts = saidIn(line.content);
    if (parts.length === 0) return [];
    const child = this.#child;
    const said = (own: string, parts: readonly Part[], from: HeardMessage["from"]): Heard => ({
      kind: "message",
      id: own,
      role: "user",
      parts,
      at,
      from,
      child,
    });
    const told = child === null ? hookContext(parts) : null;
    if (told !== null)
      return [said(`${id}-hook`, [told.context], "machinery"), said(id, told.rest, "person")];
    const isMachinery = child !== null || begins(MACHINERY, contentText(line.content).trimStart());
    return [said(id, parts, isMachinery ? "machinery" : "person")];
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
    const hasCalls = calls.length > 0 || partsIn(line.content).some((part) => functionCall(part) !== null);
    const isLast = !hasCalls && said.length > 0 && !isMachinery;
    return [
      ...said,
      ...asked,
      ...over,
      ...(isLast
        ? [{ kind: "turn-ended" as const, outcome: "completed" as const, proof: "inferred" as const, at }]
        : []),
    ];
  }

  /** A call inside the answer itself: there in a conversation that is told again. */
  #requested(part: Json, at: HeardAt): readonly Heard[] {
    const call = functionCall(part);
    const id = textAt(call, "id");
    if (call === null || id === null) return [];
    return this.#begun(callOf(id, textAt(call, "name") ?? "", inputOf(call.args), at, this.#child));
  }

  #begun(call: HeardCall): readonly Heard[] {
    if (this.#called.has(call.id)) return [];
    this.#called.add(call.id);
    return [call];
  }

  #call(record: JsonObject): readonly Heard[] {
    const id = textAt(record, "id");
    if (id === null || this.#over.has(id)) return [];
    const tool = textAt(record, "name") ?? "";
    const input = inputOf(record.args);
    const at = timeOf(record.timestamp);
    const begun = this.#begun(callOf(id, tool, input, at, this.#child));
    const status = textAt(record, "status") ?? "";
    if (!["success", "error", "cancelled"].includes(status)) return begun;
    this.#over.add(id);
    const [response] = responsesIn(record.result);
    const output =
      response === undefined ? contentText(record.result) : responseText(objectAt(response, "response"));
    const display = objectAt(record, "resultDisplay");
    const edits = status === "success" ? editsShown({ tool, input, display, output }) : [];
    const isPlan = tool === "write_todos" && status === "success";
    return [
      ...begun,
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
): HeardCall => callHeard({ id, tool, does: toolKind(tool), input, at, child });

const STATUSES: Readonly<Record<string, HeardResult["status"]>> = {
  success: "done",
  error: "failed",
  cancelled: "cancelled",
};

/** A command that failed is a call that went well; how it ended stands at the end of what the model is told. */
const FAILED_COMMAND =
  /^<untrusted_context>\n[\s\S]*\nExit Code: [1-9]\d*\n(?:Signal: .*\n)?(?:Process Group PGID: \d+\n)?<\/untrusted_context>$/;

interface ResultSaid extends Pick<HeardResult, "call" | "output" | "at" | "edits"> {
  readonly status: string;
}

export function resultOf({ call, status, output, at, edits }: ResultSaid): Heard {
  const isMadeUp = status !== "success" && begins(MADE_UP, output);
  const isFailed = status === "success" && FAILED_COMMAND.test(output);
  return {
    kind: "result",
    call,
    status: isFailed ? "failed" : Object.hasOwn(STATUSES, status) ? (STATUSES[status] ?? "failed") : "failed",
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

/** Null: nothing that a hook gave stands before the words, or nothing is behind it. */
function hookContext(
  parts: readonly Part[],
): { readonly context: Part; readonly rest: readonly Part[] } | null {
  const [first, ...others] = parts;
  if (first?.type !== "text" || typeof first.text !== "string") return null;
  const { context, words } = splitHookContext(first.text);
  if (context === null) return null;
  const rest = words === "" ? others : [{ ...first, text: words }, ...others];
  return rest.length === 0 ? null : { context: { ...first, text: context }, rest };
}

/** What its program tells the person. */
function told(line: JsonObject, at: HeardAt): readonly Heard[] {
  const words = contentText(line.content);
  if (CANCELLED.some(({ text }) => words === text))
    return [{ kind: "turn-ended", outcome: "cancelled", proof: "record", at }];
  return line.type === "error" && LIMIT.test(words) ? [{ kind: "limit", resetsAtMs: null, at }] : [];
}

const functionCall = (part: Json): JsonObject | null => objectAt(objectOf(part), "functionCall");

const thoughts = (line: JsonObject): readonly Part[] =>
  objectsAt(line, "thoughts").flatMap((thought) => {
    const words = [textAt(thought, "subject"), textAt(thought, "description")].filter(
      (one) => one !== null && one !== "",
    );
    return words.length === 0 ? [] : [{ type: "thinking", text: words.join("\n") }];
  });

const begins = (table: readonly { readonly begins: string }[], text: string): boolean =>
  table.some((one) => text.startsWith(one.begins));
