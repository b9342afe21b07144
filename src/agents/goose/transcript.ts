/**
 * goose's sessions: rows of a database, each message a list of contents. What the person said is there at once, the rest of a step when the
 * step is over. A conversation that was changed is taken out and put in again: the numbers of its rows are no ids.
 */
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Part } from "../../model/parts.ts";
import type { DatabaseFormat } from "../words/adapter.ts";
import { contentText, inputOf, listOf, numberAt, objectAt, objectOf, textAt } from "../words/fields.ts";
import type { Heard, HeardAt, HeardCall, HeardResult, ToolKind } from "../words/heard.ts";
import { heardJson } from "../words/heard-json.ts";
import { madeId } from "../words/made-id.ts";
import type { RecordedEdit } from "../words/recorded-edit.ts";

const TABLES = ["schema_version", "sessions", "messages"];

/** By the last part of their names: `developer__shell`. */
const TOOLS: ReadonlyMap<string, ToolKind> = new Map([
  ["shell", "execute"],
  ["text_editor", "edit"],
  ["write", "edit"],
  ["edit", "edit"],
  ["read", "read"],
  ["tree", "search"],
  ["analyze", "search"],
  ["todo_write", "plan"],
  ["delegate", "delegate"],
]);

export const gooseTranscript: DatabaseFormat = {
  storage: "database",
  kept: {
    tables: [
      { table: "sessions", of: "id", order: "id" },
      { table: "messages", of: "session_id", order: "id" },
    ],
    parent: null,
  },
  // Hermes has tables of these names, too, and one to search them.
  recognizes: (tables) => TABLES.every((name) => tables.has(name)) && !tables.has("messages_fts_data"),
  sessions: (rows) =>
    [
      ...rows(
        "SELECT id, working_dir, updated_at, created_at FROM sessions ORDER BY updated_at DESC, id DESC",
      ),
    ].flatMap((row) => {
      const nativeId = textAt(row, "id");
      if (nativeId === null) return [];
      return [
        { nativeId, cwd: textAt(row, "working_dir"), at: utc(row.updated_at), began: utc(row.created_at) },
      ];
    }),
  *read(rows, nativeId) {
    const [row] = rows("SELECT * FROM sessions WHERE id = ?", nativeId);
    if (row === undefined) return;
    yield session(row, nativeId);
    let nth = 0;
    for (const one of rows("SELECT * FROM messages WHERE session_id = ? ORDER BY id", nativeId))
      yield* message(one, nativeId, nth++);
  },
};

/** `CURRENT_TIMESTAMP` is universal time, and does not say so. */
function utc(value: Json | undefined): HeardAt {
  const ms =
    typeof value === "string" ? Date.parse(`${value.replace(" ", "T").replace(/Z$/, "")}Z`) : Number.NaN;
  return Number.isFinite(ms) ? ms : null;
}

function session(row: JsonObject, nativeId: string): Heard {
  const model = objectOf(heardJson(textAt(row, "model_config_json") ?? ""));
  return {
    kind: "session",
    nativeId,
    cwd: textAt(row, "working_dir"),
    version: null,
    branch: null,
    model: textAt(model, "model_name"),
    at: utc(row.created_at),
    parent: null,
  };
}

function message(row: JsonObject, session: string, nth: number): readonly Heard[] {
  const content = textAt(row, "content_json") ?? "";
  const contents = listOf(heardJson(content)).filter(isJsonObject);
  const role = row.role === "assistant" ? "assistant" : "user";
  const id = textAt(row, "message_id") ?? madeId(session, String(nth), role, content);
  const seconds = numberAt(row, "created_timestamp");
  const at = seconds === null ? null : seconds * 1000;
  const meta = objectOf(heardJson(textAt(row, "metadata_json") ?? ""));
  const parts = contents.flatMap(partOf);
  const calls = contents.flatMap((one) => callOf(one, at));
  const results = contents.flatMap((one) => resultOf(one, at));
  // What only the model sees, goose wrote: a summary, a word to go on.
  const from = role === "assistant" ? "agent" : meta?.userVisible === false ? "machinery" : "person";
  const said: Heard[] =
    parts.length === 0 ? [] : [{ kind: "message", id, role, parts, at, from, child: null }];
  const isLast = role === "assistant" && parts.length > 0 && calls.length === 0;
  return [
    ...said,
    ...calls,
    ...results,
    // No record ends a turn: an answer without a call reads like it.
    ...(isLast
      ? [{ kind: "turn-ended" as const, outcome: "completed" as const, proof: "inferred" as const, at }]
      : []),
  ];
}

function partOf(content: JsonObject): readonly Part[] {
  switch (content.type) {
    case "text":
      return [{ type: "text", text: textAt(content, "text") ?? "" }];
    case "thinking":
      return [{ type: "thinking", text: textAt(content, "thinking") ?? "" }];
    case "image":
      return [{ type: "media", media_type: textAt(content, "mimeType") ?? "image" }];
    default:
      return [];
  }
}

function callOf(content: JsonObject, at: HeardAt): readonly HeardCall[] {
  const id = content.type === "toolRequest" ? textAt(content, "id") : null;
  if (id === null) return [];
  const value = objectAt(objectAt(content, "toolCall"), "value");
  const tool = textAt(value, "name") ?? "";
  const short = tool.slice(tool.lastIndexOf("__") + (tool.includes("__") ? 2 : 1));
  const input = inputOf(value?.arguments);
  const path = textAt(input, "path");
  return [
    {
      kind: "call",
      id,
      tool,
      does: short === "text_editor" && input.command === "view" ? "read" : (TOOLS.get(short) ?? "other"),
      input,
      at,
      proof: "started",
      paths: path === null ? [] : [path],
      edits: path === null ? [] : editsOf(short, path, input),
      child: null,
    },
  ];
}

function editsOf(tool: string, path: string, input: JsonObject): readonly RecordedEdit[] {
  if (tool !== "text_editor") return [];
  const [after, old, put] = [textAt(input, "file_text"), textAt(input, "old_str"), textAt(input, "new_str")];
  if (input.command === "write" && after !== null) return [{ kind: "write", path, after }];
  if (input.command === "str_replace" && old !== null && put !== null)
    return [{ kind: "replace", path, old, new: put, everywhere: false }];
  return [];
}

function resultOf(content: JsonObject, at: HeardAt): readonly HeardResult[] {
  const call = content.type === "toolResponse" ? textAt(content, "id") : null;
  if (call === null) return [];
  const result = objectAt(content, "toolResult");
  const value = objectOf(result?.value);
  const isFailed = result?.status === "error" || value?.isError === true;
  const output = textAt(result, "error") ?? contentText(value?.content ?? result?.value);
  return [
    { kind: "result", call, status: isFailed ? "failed" : "done", origin: "real", output, at, edits: [] },
  ];
}
