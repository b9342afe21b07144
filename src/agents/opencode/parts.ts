/** Parts of OpenCode's messages: what was said, and tools with all that is known of them in one place. The live stream has the same ones. */
import type { JsonObject } from "../../model/json.ts";
import type { Part } from "../../model/parts.ts";
import { editsOfPatch } from "../codex/apply-patch.ts";
import { numberAt, objectAt, objectsAt, textAt, timeOf } from "../words/fields.ts";
import type { Heard, HeardCall, HeardResult, PlanItem, PlanItemState, ToolKind } from "../words/heard.ts";
import type { RecordedEdit } from "../words/recorded-edit.ts";

const TOOLS: Readonly<Record<string, ToolKind>> = {
  read: "read",
  write: "edit",
  edit: "edit",
  multiedit: "edit",
  apply_patch: "edit",
  patch: "edit",
  bash: "execute",
  grep: "search",
  glob: "search",
  list: "search",
  codesearch: "search",
  websearch: "fetch",
  webfetch: "fetch",
  todowrite: "plan",
  todoread: "plan",
  task: "delegate",
};

/** What OpenCode writes for calls whose result it never had, by the version where it was read. */
const SYNTHETIC: readonly { readonly version: string; readonly error: string }[] = [
  { version: "1.18.33", error: "Tool execution aborted" },
];

export const partsOf = (parts: readonly { readonly data: JsonObject }[]): readonly Part[] =>
  parts.flatMap(({ data }) => partOf(data));

function partOf(data: JsonObject): readonly Part[] {
  switch (data.type) {
    case "text":
      return said("text", textAt(data, "text"));
    case "reasoning":
      return said("thinking", textAt(data, "text"));
    case "subtask":
      return said("text", textAt(data, "prompt"));
    case "file": {
      const name = textAt(data, "filename");
      return [
        {
          type: "media",
          media_type: textAt(data, "mime") ?? "application/octet-stream",
          ...(name === null ? {} : { name }),
        },
      ];
    }
    default:
      return [];
  }
}

/** Empty where it was being streamed when the process died. */
const said = (type: "text" | "thinking", text: string | null): readonly Part[] =>
  text === null || text === "" ? [] : [{ type, text }];

/** A tool's part: the call, and once it is over its result; a plan and a subagent where it is about one. */
export function toolPart(data: JsonObject, child: string | null): readonly Heard[] {
  const id = textAt(data, "callID");
  const state = objectAt(data, "state");
  if (id === null || state === null) return [{ kind: "unknown", type: "part tool" }];
  const tool = textAt(data, "tool") ?? "";
  const call = callOf(id, tool, state, child);
  const result = resultOf(id, tool, state, call);
  const items = tool === "todowrite" && result?.status === "done" ? planOf(state) : null;
  return [
    call,
    ...delegated(tool, state, result, call.at),
    ...(result === null ? [] : [result]),
    ...(items === null ? [] : [{ kind: "plan" as const, items, at: result?.at ?? null }]),
  ];
}

function callOf(id: string, tool: string, state: JsonObject, child: string | null): HeardCall {
  const input = objectAt(state, "input") ?? {};
  const edits = editsOf(tool, input);
  const path = textAt(input, "filePath");
  return {
    kind: "call",
    id,
    tool,
    does: Object.hasOwn(TOOLS, tool) ? (TOOLS[tool] ?? "other") : "other",
    input,
    at: timeOf(objectAt(state, "time")?.start),
    // Its arguments were still being streamed.
    proof: state.status === "pending" ? "requested" : "started",
    paths: path === null ? [...new Set(edits.flatMap(pathsOf))] : [path],
    edits,
    child,
  };
}

const pathsOf = (edit: RecordedEdit): readonly string[] =>
  edit.kind === "move" ? [edit.path, edit.to] : [edit.path];

function editsOf(tool: string, input: JsonObject): readonly RecordedEdit[] {
  // Its patches have Codex's form.
  if (tool === "apply_patch") return editsOfPatch(textAt(input, "patchText") ?? "", null);
  const path = textAt(input, "filePath");
  if (path === null) return [];
  switch (tool) {
    case "write": {
      const after = textAt(input, "content");
      return after === null ? [] : [{ kind: "write", path, after }];
    }
    case "edit":
      return replaceOf(path, input);
    case "multiedit":
      return objectsAt(input, "edits").flatMap((one) => replaceOf(path, one));
    default:
      return [];
  }
}

function replaceOf(path: string, input: JsonObject): readonly RecordedEdit[] {
  const [old, put] = [textAt(input, "oldString"), textAt(input, "newString")];
  if (old === null || put === null) return [];
  // Nothing to be replaced: only a file that was not there is made so.
  if (old === "") return [{ kind: "write", path, after: put }];
  // OpenCode puts the file's own line ends into both.
  return [
    { kind: "replace", path, old, new: put, everywhere: input.replaceAll === true, areLineEndsLost: true },
  ];
}

function resultOf(id: string, tool: string, state: JsonObject, call: HeardCall): HeardResult | null {
  const at = timeOf(objectAt(state, "time")?.end);
  const metadata = objectAt(state, "metadata");
  switch (state.status) {
    case "completed": {
      const exit = numberAt(metadata, "exit");
      return {
        kind: "result",
        call: id,
        status: exit === null || exit === 0 ? "done" : "failed",
        origin: "real",
        output: textAt(state, "output") ?? "",
        at,
        edits: editsDone(tool, metadata, call),
      };
    }
    case "error": {
      const output = textAt(state, "error") ?? "";
      const isMadeUp = metadata?.interrupted === true || SYNTHETIC.some(({ error }) => output === error);
      return {
        kind: "result",
        call: id,
        status: isMadeUp ? "cancelled" : "failed",
        origin: isMadeUp ? "synthetic" : "real",
        output,
        at,
        edits: [],
      };
    }
    default:
      return null;
  }
}

function editsDone(tool: string, metadata: JsonObject | null, call: HeardCall): readonly RecordedEdit[] {
  if (tool === "read") return readOf(objectAt(metadata, "display"));
  const wasNot = tool === "write" ? metadata?.exists === false : tool === "edit";
  return wasNot
    ? call.edits.flatMap((edit) => (edit.kind === "write" ? [{ ...edit, before: null }] : []))
    : [];
}

/** OpenCode shows lines: whether the last one ended, and how, is not said. So it is never the whole file. */
function readOf(display: JsonObject | null): readonly RecordedEdit[] {
  const [path, text, from] = [
    textAt(display, "path"),
    textAt(display, "text"),
    numberAt(display, "lineStart"),
  ];
  if (display?.type !== "file" || path === null || text === null || from === null) return [];
  return [{ kind: "read", path, text, isWhole: false, fromLine: from, areLineEndsLost: true }];
}

const STATES: Readonly<Record<string, PlanItemState>> = {
  pending: "open",
  in_progress: "doing",
  completed: "done",
};

/** Items that were called off are no items any more. */
const planOf = (state: JsonObject): readonly PlanItem[] =>
  objectsAt(objectAt(state, "input"), "todos").flatMap((todo) => {
    const text = textAt(todo, "content");
    const status = textAt(todo, "status") ?? "pending";
    if (text === null || status === "cancelled") return [];
    return [{ text, state: Object.hasOwn(STATES, status) ? (STATES[status] ?? "open") : "open" }];
  });

/** The session of the subagent is in the call's metadata as soon as it was made. */
function delegated(
  tool: string,
  state: JsonObject,
  result: HeardResult | null,
  at: number | null,
): readonly Heard[] {
  const id = tool === "task" ? textAt(objectAt(state, "metadata"), "sessionId") : null;
  if (id === null) return [];
  const isBackground = objectAt(state, "metadata")?.background === true;
  const over = result?.status === "done" ? "done" : "failed";
  return [
    {
      kind: "child",
      id,
      label: textAt(objectAt(state, "input"), "description") ?? "",
      state: result === null || isBackground ? "begun" : over,
      transcript: null,
      at,
    },
  ];
}
