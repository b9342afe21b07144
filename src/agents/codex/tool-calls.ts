/** What Codex's model asked for, in the neutral words: one place for the tools of all its versions. */
import type { JsonObject } from "../../model/json.ts";
import { inputOf, listAt, objectAt, objectsAt, textAt, textOf } from "../words/fields.ts";
import type { Heard, HeardAt, HeardCall, PlanItem, PlanItemState, ToolKind } from "../words/heard.ts";
import type { RecordedEdit } from "../words/recorded-edit.ts";
import { editsOfCommand, editsOfPatch, within } from "./apply-patch.ts";

const TOOLS: ReadonlyMap<string, ToolKind> = new Map<string, ToolKind>([
  ["exec_command", "execute"],
  ["write_stdin", "execute"],
  ["shell", "execute"],
  ["shell_command", "execute"],
  ["container.exec", "execute"],
  ["local_shell", "execute"],
  ["exec", "execute"],
  ["apply_patch", "edit"],
  ["read_file", "read"],
  ["view_image", "read"],
  ["list_dir", "search"],
  ["grep_files", "search"],
  ["tool_search", "search"],
  ["web_search", "fetch"],
  ["update_plan", "plan"],
  ["spawn_agent", "delegate"],
]);

/** Namespaces whose tools are Codex's own; the others are servers', and their names say whose. */
const OWN_NAMESPACES = /^(?:multi_agent|functions|codex)/;

/** `function_call`, `custom_tool_call`, `local_shell_call`, `tool_search_call`: a call with an output to come. */
export function callOf(item: JsonObject, id: string, at: HeardAt): readonly Heard[] {
  const tool = toolOf(item);
  const input = inputOfItem(item);
  const folder = textAt(input, "workdir") ?? textAt(input, "working_directory");
  const edits = editsOf(tool, input, folder);
  const does = TOOLS.get(tool) ?? "other";
  const call: HeardCall = {
    kind: "call",
    id,
    tool,
    does: edits.length > 0 ? "edit" : does,
    input,
    at,
    proof: "started",
    paths: pathsOf(tool, input, folder, edits),
    edits,
    child: null,
  };
  return does === "plan" ? [call, { kind: "plan", items: planItems(input), at }] : [call];
}

function toolOf(item: JsonObject): string {
  if (item.type === "local_shell_call") return "local_shell";
  if (item.type === "tool_search_call") return "tool_search";
  const name = textAt(item, "name") ?? "";
  const namespace = textAt(item, "namespace");
  return namespace === null || OWN_NAMESPACES.test(namespace) ? name : `${namespace}__${name}`;
}

function inputOfItem(item: JsonObject): JsonObject {
  switch (item.type) {
    case "custom_tool_call":
      return inputOf(textOf(item.input) ?? {});
    case "local_shell_call":
      return objectAt(item, "action") ?? {};
    default:
      return inputOf(item.arguments);
  }
}

/** The script a shell gets, whatever the tool's version calls it; null: no shell, or a program of its own. */
export function scriptOf(input: JsonObject): string | null {
  const plain = textAt(input, "cmd") ?? textAt(input, "command");
  if (plain !== null) return plain;
  const words = listAt(input, "command").map((word) => textOf(word) ?? "");
  return words.length === 3 && /^-l?c$/.test(words[1] ?? "") ? (words[2] ?? null) : null;
}

function editsOf(tool: string, input: JsonObject, folder: string | null): readonly RecordedEdit[] {
  if (tool === "apply_patch")
    return editsOfPatch(
      textAt(input, "text") ?? textAt(input, "input") ?? textAt(input, "patch") ?? "",
      folder,
    );
  if (TOOLS.get(tool) !== "execute") return [];
  const [program, patch] = listAt(input, "command");
  if (program === "apply_patch" || program === "applypatch") return editsOfPatch(textOf(patch) ?? "", folder);
  return editsOfCommand(scriptOf(input) ?? "", folder);
}

function pathsOf(
  tool: string,
  input: JsonObject,
  folder: string | null,
  edits: readonly RecordedEdit[],
): readonly string[] {
  const named = TOOLS.get(tool) === "read" ? (textAt(input, "path") ?? textAt(input, "file_path")) : null;
  const edited = edits.flatMap((edit) => (edit.kind === "move" ? [edit.to] : [edit.path]));
  return [...(named === null ? [] : [within(folder, named)]), ...new Set(edited)];
}

const STATES: ReadonlyMap<string, PlanItemState> = new Map([
  ["pending", "open"],
  ["in_progress", "doing"],
  ["completed", "done"],
]);

const planItems = (input: JsonObject): readonly PlanItem[] =>
  objectsAt(input, "plan").map((item) => ({
    text: textAt(item, "step") ?? "",
    state: STATES.get(textAt(item, "status") ?? "") ?? "open",
  }));
