/** pi's sessions: a tree of records in one file, each naming the one before it. Nothing is on disk before the first answer has ended. */
import type { JsonObject } from "../../model/json.ts";
import type { Part } from "../../model/parts.ts";
import type { LineReader, LinesFormat } from "../words/adapter.ts";
import {
  contentText,
  inputOf,
  kindAt,
  listAt,
  listOf,
  objectAt,
  objectOf,
  objectsAt,
  textAt,
  timeOf,
} from "../words/fields.ts";
import type { Heard, HeardAt, HeardOutcome, LineLinks, ToolKind } from "../words/heard.ts";
import type { RecordedEdit } from "../words/recorded-edit.ts";

const TOOLS: ReadonlyMap<string, ToolKind> = new Map([
  ["read", "read"],
  ["write", "edit"],
  ["edit", "edit"],
  ["bash", "execute"],
  ["grep", "search"],
  ["find", "search"],
  ["ls", "search"],
]);

/** What pi writes beside the conversation: known, and of no use here. */
const PASSED_OVER = new Set(["model_change", "thinking_level_change", "label", "session_info", "custom"]);

export const piTranscript: LinesFormat = {
  storage: "lines",
  recognizes: ([head]) =>
    head !== undefined &&
    head.type === "session" &&
    typeof head.version === "number" &&
    typeof head.cwd === "string",
  reader: () => READER,
};

// Each line says all there is to know of it.
const READER: LineReader = {
  links: (line): LineLinks | null => {
    const id = textAt(line, "id");
    // A call has an id, too, and no parent.
    return id === null || line.parentId === undefined ? null : { id, parent: textAt(line, "parentId") };
  },
  relink: (line, parentId) => ({ ...line, parentId }),
  read(line) {
    const at = timeOf(line.timestamp);
    switch (line.type) {
      case "session":
        return session(line, at);
      case "message":
        return message(textAt(line, "id") ?? "", objectAt(line, "message"), at);
      case "compaction":
      case "branch_summary":
        return [{ kind: "compacted", summary: textAt(line, "summary"), at }];
      case "custom_message":
        return [said(textAt(line, "id") ?? "", "user", "machinery", [text(contentText(line.content))], at)];
      default:
        return PASSED_OVER.has(kindAt(line)) ? [] : [{ kind: "unknown", type: kindAt(line) }];
    }
  },
};

function session(line: JsonObject, at: HeardAt): readonly Heard[] {
  return [
    {
      kind: "session",
      nativeId: textAt(line, "id") ?? "",
      cwd: textAt(line, "cwd"),
      // The version of the file's form is all it says.
      version: null,
      branch: null,
      model: null,
      at,
      parent: textAt(line, "parentSession"),
    },
  ];
}

function message(id: string, body: JsonObject | null, at: HeardAt): readonly Heard[] {
  const role = textAt(body, "role");
  switch (role) {
    case "user":
      return [said(id, "user", "person", partsOf(body), at)];
    case "assistant":
      return answer(id, body, at);
    case "toolResult":
      return result(body, at);
    case "bashExecution":
      // The person ran it, not the model.
      return [said(id, "user", "person", [text(`$ ${textAt(body, "command") ?? ""}`)], at)];
    case "system":
      return [];
    case "custom":
    case "branchSummary":
    case "compactionSummary":
      return [said(id, "user", "machinery", partsOf(body), at)];
    default:
      return [{ kind: "unknown", type: `message ${role ?? ""}` }];
  }
}

const OUTCOMES: ReadonlyMap<string, HeardOutcome> = new Map([
  ["stop", "completed"],
  ["length", "failed"],
  ["error", "failed"],
  ["aborted", "cancelled"],
]);

function answer(id: string, body: JsonObject | null, at: HeardAt): readonly Heard[] {
  const heard: Heard[] = [];
  const parts = partsOf(body);
  if (parts.length > 0) heard.push(said(id, "assistant", "agent", parts, at));
  for (const value of listAt(body, "content")) {
    const block = objectOf(value);
    if (block?.type === "toolCall") heard.push(piCall(block, at));
  }
  const outcome = OUTCOMES.get(textAt(body, "stopReason") ?? "");
  if (outcome !== undefined) heard.push({ kind: "turn-ended", outcome, proof: "record", at });
  return heard;
}

/** Also of the stream, which tells calls in the same words. */
export function piCall(block: JsonObject, at: HeardAt): Heard {
  const tool = textAt(block, "name") ?? "";
  const input = inputOf(block.arguments);
  const path = pathOf(input);
  return {
    kind: "call",
    id: textAt(block, "id") ?? "",
    tool,
    does: TOOLS.get(tool) ?? "other",
    input,
    at,
    proof: "started",
    paths: path === null ? [] : [path],
    edits: path === null ? [] : editsOf(tool, path, input),
    child: null,
  };
}

/** As pi takes it: a sign before a name that was picked, and spaces of other kinds, are none of the file's. */
const pathOf = (input: JsonObject): string | null =>
  textAt(input, "path")
    ?.replaceAll(/[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g, " ")
    .replace(/^@/, "") ?? null;

function editsOf(tool: string, path: string, input: JsonObject): readonly RecordedEdit[] {
  if (tool === "write") {
    const after = textAt(input, "content");
    return after === null ? [] : [{ kind: "write", path, after }];
  }
  if (tool !== "edit") return [];
  const pairs = listAt(input, "edits").length > 0 ? objectsAt(input, "edits") : [input];
  return pairs.flatMap((pair) => {
    const [old, put] = [textAt(pair, "oldText"), textAt(pair, "newText")];
    return old === null || put === null
      ? []
      : // pi looks for both in a file whose line ends are LF, and gives it its own again.
        [
          {
            kind: "replace" as const,
            path,
            old,
            new: put,
            everywhere: false,
            areLineEndsLost: true as const,
          },
        ];
  });
}

function result(body: JsonObject | null, at: HeardAt): readonly Heard[] {
  return [
    {
      kind: "result",
      call: textAt(body, "toolCallId") ?? "",
      status: body?.isError === true ? "failed" : "done",
      origin: "real",
      output: contentText(body?.content),
      at,
      edits: [],
    },
  ];
}

function said(
  id: string,
  role: "user" | "assistant",
  from: "person" | "agent" | "machinery",
  parts: readonly Part[],
  at: HeardAt,
): Heard {
  return { kind: "message", id, role, parts, at, from, child: null };
}

const text = (value: string): Part => ({ type: "text", text: value });

function partsOf(body: JsonObject | null): readonly Part[] {
  const content = body?.content;
  if (typeof content === "string") return [text(content)];
  const parts: Part[] = [];
  for (const value of listOf(content)) {
    const part = partOf(objectOf(value));
    if (part !== null) parts.push(part);
  }
  return parts;
}

function partOf(block: JsonObject | null): Part | null {
  switch (block?.type) {
    case "text":
      return text(textAt(block, "text") ?? "");
    case "thinking":
      return { type: "thinking", text: textAt(block, "thinking") ?? "" };
    case "image":
      return { type: "media", media_type: textAt(block, "mimeType") ?? "image" };
    default:
      return null;
  }
}
