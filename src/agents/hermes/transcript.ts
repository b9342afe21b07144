/**
 * hermes-agent's sessions: rows of a database, a message each, calls as a list in the answer that asked for them. A conversation that was
 * shortened goes on as a session of its own below the one before.
 */
import type { JsonObject } from "../../model/json.ts";
import type { Part } from "../../model/parts.ts";
import type { DatabaseFormat } from "../words/adapter.ts";
import { inputOf, listOf, numberAt, objectAt, objectOf, textAt } from "../words/fields.ts";
import type { Heard, HeardAt, HeardCall, ToolKind } from "../words/heard.ts";
import { heardJson } from "../words/heard-json.ts";
import type { RecordedEdit } from "../words/recorded-edit.ts";

/** The last is what the search over them is kept in. */
const TABLES = ["sessions", "messages", "messages_fts_data"];

const TOOLS: ReadonlyMap<string, ToolKind> = new Map([
  ["terminal", "execute"],
  ["process", "execute"],
  ["execute_code", "execute"],
  ["read_file", "read"],
  ["write_file", "edit"],
  ["patch", "edit"],
  ["search_files", "search"],
  ["web_search", "fetch"],
  ["web_extract", "fetch"],
  ["todo", "plan"],
  ["delegate_task", "delegate"],
]);

export const hermesTranscript: DatabaseFormat = {
  storage: "database",
  kept: {
    tables: [
      { table: "sessions", of: "id", order: "id" },
      { table: "messages", of: "session_id", order: "id" },
    ],
    parent: null,
  },
  recognizes: (tables) => TABLES.every((name) => tables.has(name)),
  sessions: (rows) =>
    // Every column: where the folder is written differs between versions, and an old one has none.
    [...rows("SELECT * FROM sessions ORDER BY started_at DESC, id DESC")].flatMap((row) => {
      const nativeId = textAt(row, "id");
      const at = ms(row, "started_at");
      return nativeId === null ? [] : [{ nativeId, cwd: textAt(row, "cwd"), at, began: at }];
    }),
  *read(rows, nativeId) {
    const [row] = rows("SELECT * FROM sessions WHERE id = ?", nativeId);
    if (row === undefined) return;
    const parent = textAt(row, "parent_session_id");
    const at = ms(row, "started_at");
    const model = textAt(row, "model");
    yield {
      kind: "session",
      nativeId,
      cwd: textAt(row, "cwd"),
      version: null,
      branch: null,
      model,
      at,
      parent,
    };
    for (const one of rows("SELECT * FROM messages WHERE session_id = ? ORDER BY id", nativeId))
      yield* message(one, nativeId);
    const ended = ms(row, "ended_at");
    if (ended === null) return;
    if (row.end_reason === "compression") yield { kind: "compacted", summary: null, at: ended };
    yield { kind: "ended", at: ended };
  },
};

/** Its times are seconds with a fraction. */
const ms = (row: JsonObject, name: string): HeardAt => {
  const seconds = numberAt(row, name);
  return seconds === null ? null : Math.round(seconds * 1000);
};

function message(row: JsonObject, session: string): readonly Heard[] {
  const at = ms(row, "timestamp");
  const id = `${session}-${String(numberAt(row, "id") ?? "")}`;
  const text = textAt(row, "content") ?? "";
  switch (row.role) {
    case "user":
      return [{ kind: "message", id, role: "user", parts: said(text), at, from: "person", child: null }];
    case "assistant":
      return answer(row, id, text, at);
    case "tool":
      return result(row, text, at);
    case "system":
    case "session_meta":
      return [];
    default:
      return [{ kind: "unknown", type: `message ${textAt(row, "role") ?? ""}` }];
  }
}

const said = (text: string): readonly Part[] => (text === "" ? [] : [{ type: "text", text }]);

function answer(row: JsonObject, id: string, text: string, at: HeardAt): readonly Heard[] {
  const thinking = textAt(row, "reasoning") ?? "";
  const parts: readonly Part[] = [
    ...(thinking === "" ? [] : [{ type: "thinking" as const, text: thinking }]),
    ...said(text),
  ];
  const calls = listOf(heardJson(textAt(row, "tool_calls") ?? "")).flatMap((one) =>
    callOf(objectOf(one), at),
  );
  const isLast = calls.length === 0 && row.finish_reason === "stop";
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
            child: null,
          },
        ]),
    ...calls,
    // The model's end of an answer, not the program's end of a turn.
    ...(isLast
      ? [{ kind: "turn-ended" as const, outcome: "completed" as const, proof: "inferred" as const, at }]
      : []),
  ];
}

function callOf(one: JsonObject | null, at: HeardAt): readonly HeardCall[] {
  const id = textAt(one, "id") ?? textAt(one, "call_id");
  if (id === null) return [];
  const asked = objectAt(one, "function");
  const tool = textAt(asked, "name") ?? "";
  const input = inputOf(asked?.arguments);
  const path = textAt(input, "path");
  return [
    {
      kind: "call",
      id,
      tool,
      does: TOOLS.get(tool) ?? "other",
      input,
      at,
      proof: "started",
      paths: path === null ? [] : [path],
      edits: path === null ? [] : editsOf(tool, path, input),
      child: null,
    },
  ];
}

function editsOf(tool: string, path: string, input: JsonObject): readonly RecordedEdit[] {
  const after = textAt(input, "content");
  if (tool === "write_file" && after !== null) return [{ kind: "write", path, after }];
  const [old, put] = [textAt(input, "old_string"), textAt(input, "new_string")];
  if (tool !== "patch" || old === null || put === null) return [];
  return [{ kind: "replace", path, old, new: put, everywhere: input.replace_all === true }];
}

function result(row: JsonObject, output: string, at: HeardAt): readonly Heard[] {
  const call = textAt(row, "tool_call_id");
  if (call === null) return [];
  // Most tools answer with an object; what failed says why in it.
  const body = objectOf(heardJson(output));
  const isFailed = (textAt(body, "error") ?? "") !== "" || (numberAt(body, "exit_code") ?? 0) !== 0;
  return [
    { kind: "result", call, status: isFailed ? "failed" : "done", origin: "real", output, at, edits: [] },
  ];
}
