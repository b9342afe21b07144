/** Copilot CLI's tools: what a call was to do, and what its result shows of the file. */
import type { JsonObject } from "../../model/json.ts";
import { listAt, textAt } from "../words/fields.ts";
import type { HeardAt, HeardCall, ToolKind } from "../words/heard.ts";
import type { RecordedEdit } from "../words/recorded-edit.ts";

const TOOLS: ReadonlyMap<string, ToolKind> = new Map([
  ["view", "read"],
  ["create", "edit"],
  ["edit", "edit"],
  ["str_replace_editor", "edit"],
  ["apply_patch", "edit"],
  ["bash", "execute"],
  ["read_bash", "execute"],
  ["write_bash", "execute"],
  ["stop_bash", "execute"],
  ["grep", "search"],
  ["rg", "search"],
  ["glob", "search"],
  ["list_bash", "search"],
  ["web_fetch", "fetch"],
  ["web_search", "fetch"],
  ["sql", "plan"],
  ["update_todo", "plan"],
  ["task", "delegate"],
]);

/** What its program says in the place of a result it never had. */
const SYNTHETIC: readonly { readonly begins: string; readonly seen: string }[] = [
  { begins: "Tool execution was interrupted before a result was recorded.", seen: "1.0.102" },
];

export function isSyntheticError(error: JsonObject | null): boolean {
  const message = textAt(error, "message") ?? "";
  return error?.code === "interrupted" || SYNTHETIC.some(({ begins }) => message.startsWith(begins));
}

export function callOf(
  id: string,
  tool: string,
  input: JsonObject,
  at: HeardAt,
  child: string | null,
): HeardCall {
  const path = textAt(input, "path");
  return {
    kind: "call",
    id,
    tool,
    does: TOOLS.get(tool) ?? "other",
    input,
    at,
    proof: "started",
    paths: path === null ? [] : [path],
    edits: path === null ? [] : askedEdits(tool, path, input),
    child,
  };
}

function askedEdits(tool: string, path: string, input: JsonObject): readonly RecordedEdit[] {
  // An older version has one tool for both, with the kind of edit among its arguments.
  const kind = tool === "str_replace_editor" ? textAt(input, "command") : tool;
  const whole = textAt(input, "file_text");
  if (kind === "create") return whole === null ? [] : [{ kind: "write", path, after: whole }];
  const [old, put] = [textAt(input, "old_str"), textAt(input, "new_str")];
  if ((kind !== "edit" && kind !== "str_replace") || old === null || put === null) return [];
  // One match only, or it fails. Line ends are made those of the file, and quotes of another form match.
  return [{ kind: "replace", path, old, new: put, everywhere: false, areLineEndsLost: true }];
}

/** A file that is larger is not shown unless it is asked for, and may then be cut. */
const LARGEST_SHOWN = 20_000;

/** A call that went well. It makes no file where there is one. */
export function editsDone(
  { tool, paths, input, edits }: HeardCall,
  result: JsonObject | null,
): readonly RecordedEdit[] {
  const [path] = paths;
  if (tool === "create")
    return edits.map((edit) => (edit.kind === "write" ? { ...edit, before: null } : edit));
  if (tool !== "view" || path === undefined) return edits;
  const text = textAt(result, "content");
  // The diff it makes for people tells a file from a folder.
  const isFile = textAt(result, "detailedContent")?.includes("\nindex 0000000..0000000 100644\n") === true;
  if (text === null || !isFile || Buffer.byteLength(text) >= LARGEST_SHOWN) return [];
  const [from] = listAt(input, "view_range");
  if (input.view_range === undefined) return [{ kind: "read", path, text, isWhole: true, fromLine: 1 }];
  return typeof from === "number" ? [{ kind: "read", path, text, isWhole: false, fromLine: from }] : [];
}
