/** Claude Code's tools: what a call was to do, and what its result says the file was before. */
import type { Json, JsonObject } from "../../model/json.ts";
import { inputOf, listAt, numberAt, objectAt, objectOf, objectsAt, textAt } from "../words/fields.ts";
import type { Heard, HeardAt, HeardCall, PlanItemState, ToolKind } from "../words/heard.ts";
import type { PatchHunk, RecordedEdit } from "../words/recorded-edit.ts";

const TOOLS: ReadonlyMap<string, ToolKind> = new Map([
  ["Read", "read"],
  ["NotebookRead", "read"],
  ["Write", "edit"],
  ["Edit", "edit"],
  ["MultiEdit", "edit"],
  ["NotebookEdit", "edit"],
  ["Bash", "execute"],
  ["BashOutput", "execute"],
  ["KillShell", "execute"],
  ["PowerShell", "execute"],
  ["Glob", "search"],
  ["Grep", "search"],
  ["LS", "search"],
  ["ToolSearch", "search"],
  ["WebFetch", "fetch"],
  ["WebSearch", "fetch"],
  ["TodoWrite", "plan"],
  ["TaskCreate", "plan"],
  ["TaskUpdate", "plan"],
  ["TaskList", "plan"],
  ["TaskGet", "plan"],
  ["Agent", "delegate"],
  ["Task", "delegate"],
  ["Workflow", "delegate"],
]);

export function callOf(block: JsonObject, at: HeardAt, child: string | null): HeardCall {
  const tool = textAt(block, "name") ?? "";
  const input = inputOf(block.input);
  const path = textAt(input, "file_path") ?? textAt(input, "notebook_path");
  return {
    kind: "call",
    id: textAt(block, "id") ?? "",
    tool,
    does: TOOLS.get(tool) ?? "other",
    input,
    at,
    // Written before the person is asked for leave: whether it had begun is not said.
    proof: "started",
    paths: path === null ? [] : [path],
    edits: path === null ? [] : askedEdits(tool, path, input),
    child,
  };
}

function askedEdits(tool: string, path: string, input: JsonObject): readonly RecordedEdit[] {
  switch (tool) {
    case "Write": {
      const after = textAt(input, "content");
      return after === null ? [] : [{ kind: "write", path, after }];
    }
    case "Edit":
      return replaced(path, input);
    case "MultiEdit":
      return objectsAt(input, "edits").flatMap((pair) => replaced(path, pair));
    default:
      return [];
  }
}

function replaced(path: string, pair: JsonObject): readonly RecordedEdit[] {
  const [old, put] = [textAt(pair, "old_string"), textAt(pair, "new_string")];
  if (old === null || put === null) return [];
  // In the place of nothing: the whole of a new file.
  if (old === "") return [{ kind: "write", path, after: put }];
  const everywhere = pair.replace_all === true;
  return [
    { kind: "replace", path, old, new: put, everywhere, ...mayTakeEnd(old, put), areLineEndsLost: true },
  ];
}

/** What is replaced by nothing goes with its line's end, where one follows it: without the file before nobody can tell. */
const mayTakeEnd = (old: string, put: string): { readonly mayTakeEnd?: true } =>
  put === "" && !old.endsWith("\n") ? { mayTakeEnd: true } : {};

/** `result`: what the program keeps beside the words for the model, which of it depends on the tool. */
export function doneEdits(result: JsonObject | null): readonly RecordedEdit[] {
  const file = objectAt(result, "file");
  if (file !== null) return result?.type === "text" ? shownFile(file) : [];
  const path = textAt(result, "filePath");
  if (result === null || path === null) return notebook(result);
  if (result.type === "create" || result.type === "update") return written(path, result);
  return edited(path, result);
}

/** A large file's text before is left out of an update: null stands for both, and only a file that was made new had none. */
function written(path: string, result: JsonObject): readonly RecordedEdit[] {
  const after = textAt(result, "content");
  if (after === null) return [];
  const before = result.type === "create" ? null : textAt(result, "originalFile");
  if (before === null && result.type !== "create") return [{ kind: "write", path, after }];
  return [
    { kind: "write", path, after, before, ...(before === null ? {} : { areLineEndsLost: true as const }) },
  ];
}

/** Where the file has curly quotes, straight ones of the call are made curly as they are written: what is recorded is not what was put in. */
const CURLY = /[\u2018\u2019\u201c\u201d]/;

function edited(path: string, result: JsonObject): readonly RecordedEdit[] {
  const [old, put] = [textAt(result, "oldString"), textAt(result, "newString")];
  if (old === null || put === null) return [];
  if (old === "") return [{ kind: "write", path, after: put }];
  const before = textAt(result, "originalFile");
  const known = { path, ...(before === null ? {} : { before }), areLineEndsLost: true as const };
  const end = mayTakeEnd(old, put);
  const isTaken = end.mayTakeEnd === true && before?.includes(`${old}\n`) === true;
  const everywhere = result.replaceAll === true;
  if (result.userModified !== true && !CURLY.test(old)) {
    const told = {
      kind: "replace" as const,
      ...known,
      old: isTaken ? `${old}\n` : old,
      new: put,
      everywhere,
    };
    return [before === null ? { ...told, ...end } : told];
  }
  const hunks = patchOf(listAt(result, "structuredPatch"));
  return hunks === null ? [] : [{ kind: "patch", ...known, hunks }];
}

/** Its patch is made to be looked at: tabs at the beginning of lines are blanks in it, and then it is no patch. */
function patchOf(list: readonly Json[]): readonly PatchHunk[] | null {
  const hunks: PatchHunk[] = [];
  for (const one of list) {
    const lines: PatchHunk["lines"][number][] = [];
    for (const line of listAt(objectOf(one), "lines")) {
      const sign = typeof line === "string" ? line[0] : undefined;
      if (typeof line !== "string" || (sign !== " " && sign !== "-" && sign !== "+")) return null;
      if (/^.\s/.test(line)) return null;
      lines.push({ sign, text: line.slice(1) });
    }
    hunks.push({ below: [], lines });
  }
  return hunks.length === 0 ? null : hunks;
}

function notebook(result: JsonObject | null): readonly RecordedEdit[] {
  const path = textAt(result, "notebook_path");
  const after = textAt(result, "updated_file");
  const before = textAt(result, "original_file");
  if (path === null || after === null) return [];
  return before === null
    ? [{ kind: "write", path, after }]
    : [{ kind: "write", path, after, before, areLineEndsLost: true }];
}

/** Its line numbers count one more where the file ends with a line feed. */
function shownFile(file: JsonObject): readonly RecordedEdit[] {
  const [path, text] = [textAt(file, "filePath"), textAt(file, "content")];
  const [fromLine, lines, all] = ["startLine", "numLines", "totalLines"].map((name) => numberAt(file, name));
  if (path === null || text === null || typeof fromLine !== "number" || typeof lines !== "number") return [];
  const isWhole = fromLine === 1 && lines === all && text.split("\n").length === lines;
  return [{ kind: "read", path, text, isWhole, fromLine, areLineEndsLost: true }];
}

const STATES: ReadonlyMap<string, PlanItemState | "dropped"> = new Map([
  ["pending", "open"],
  ["in_progress", "doing"],
  ["completed", "done"],
  ["deleted", "dropped"],
]);

const stateOf = (value: string | null): PlanItemState | "dropped" | null => STATES.get(value ?? "") ?? null;

/** The to-do list as a call gives it, whole. */
export function askedPlan(call: HeardCall): readonly Heard[] {
  if (call.tool !== "TodoWrite" || call.child !== null) return [];
  return [{ kind: "plan", items: itemsOf(objectsAt(call.input, "todos"), "content"), at: call.at }];
}

/** One item at a time, as the results of newer tools give it. */
export function donePlan(result: JsonObject | null, at: HeardAt): readonly Heard[] {
  const made = objectAt(result, "task");
  const [id, text] = [textAt(made, "id"), textAt(made, "subject")];
  if (id !== null && text !== null) return [{ kind: "plan-item", id, text, state: "open", at }];
  const changed = textAt(result, "taskId");
  const state = stateOf(textAt(objectAt(result, "statusChange"), "to"));
  if (changed !== null && state !== null && result?.success === true)
    return [{ kind: "plan-item", id: changed, text: null, state, at }];
  return [];
}

const itemsOf = (
  list: readonly JsonObject[],
  name: string,
): readonly { text: string; state: PlanItemState }[] =>
  list.flatMap((item) => {
    const [text, state] = [textAt(item, name), stateOf(textAt(item, "status"))];
    return text === null || state === null || state === "dropped" ? [] : [{ text, state }];
  });
