/** Continue's calls with how they stand, in the neutral words. */
import type { JsonObject } from "../../model/json.ts";
import { inputOf, objectAt, objectsAt, textAt } from "../words/fields.ts";
import type { Heard, HeardResult, PlanItem, ToolKind } from "../words/heard.ts";
import type { RecordedEdit } from "../words/recorded-edit.ts";

const TOOLS: ReadonlyMap<string, ToolKind> = new Map<string, ToolKind>([
  ["Read", "read"],
  ["Write", "edit"],
  ["Edit", "edit"],
  ["MultiEdit", "edit"],
  ["Bash", "execute"],
  ["CheckBackgroundJob", "execute"],
  ["List", "search"],
  ["Search", "search"],
  ["Diff", "search"],
  ["Fetch", "fetch"],
  ["Checklist", "plan"],
  ["Subagent", "delegate"],
]);

/** A state of Continue's: the call, its arguments, how it stands, what it gave. */
export function callOf(state: JsonObject): readonly Heard[] {
  const call = objectAt(state, "toolCall");
  const id = textAt(state, "toolCallId") ?? textAt(call, "id") ?? "";
  const made = objectAt(call, "function");
  const tool = textAt(made, "name") ?? "";
  const input = objectAt(state, "parsedArgs") ?? inputOf(made?.arguments);
  const path = textAt(input, "filepath") ?? textAt(input, "file_path");
  const status = textAt(state, "status");
  const output = objectsAt(state, "output")
    .map((one) => textAt(one, "content") ?? "")
    .join("\n");
  const result = ended(id, status, output, tool === "Read" ? path : null);
  return [
    {
      kind: "call",
      id,
      tool,
      does: TOOLS.get(tool) ?? "other",
      input,
      at: null,
      // Its arguments are being streamed, or it waits for leave.
      proof: status === "generating" || status === "generated" ? "requested" : "started",
      paths: path === null ? [] : [path],
      edits: path === null ? [] : editsOf(tool, path, input),
      child: null,
    },
    ...(tool === "Checklist"
      ? [{ kind: "plan" as const, items: planItems(textAt(input, "checklist") ?? ""), at: null }]
      : []),
    ...(result === null ? [] : [result]),
  ];
}

/** Null: it had not ended when this was written. */
function ended(id: string, status: string | null, output: string, read: string | null): HeardResult | null {
  switch (status) {
    case "done":
      return resultOf(id, "done", output, read);
    case "errored":
      return resultOf(id, "failed", output, null);
    case "canceled":
      return resultOf(id, "cancelled", output, null);
    default:
      return null;
  }
}

export function resultOf(
  call: string,
  status: HeardResult["status"],
  output: string,
  read: string | null,
): HeardResult {
  const head = read === null ? null : `Content of ${read.replace(/^\.\//, "")}:\n`;
  const isRead = head !== null && output.startsWith(head) && !output.includes("\ufffd");
  const edits: readonly RecordedEdit[] =
    isRead && read !== null
      ? [{ kind: "read", path: read, text: output.slice(head.length), isWhole: true, fromLine: 1 }]
      : [];
  return { kind: "result", call, status, origin: "real", output, at: null, edits };
}

function editsOf(tool: string, path: string, input: JsonObject): readonly RecordedEdit[] {
  switch (tool) {
    case "Write": {
      const after = textAt(input, "content");
      return after === null ? [] : [{ kind: "write", path, after }];
    }
    case "Edit":
      return replaced(path, input);
    case "MultiEdit":
      return objectsAt(input, "edits").flatMap((edit) => replaced(path, edit));
    default:
      return [];
  }
}

/** An empty old text makes a new file of the new one. */
function replaced(path: string, edit: JsonObject): readonly RecordedEdit[] {
  const [old, put] = [textAt(edit, "old_string"), textAt(edit, "new_string")];
  if (old === null || put === null) return [];
  if (old === "") return [];
  return [{ kind: "replace", path, old, new: put, everywhere: edit.replace_all === true }];
}

const ITEM = /^\s*[-*]\s+\[( |x|X)\]\s+(.+)$/;

/** A list in Markdown with boxes. */
const planItems = (checklist: string): readonly PlanItem[] =>
  checklist.split("\n").flatMap((line) => {
    const [, box, text] = ITEM.exec(line) ?? [];
    return text === undefined ? [] : [{ text: text.trim(), state: box === " " ? "open" : "done" }];
  });
