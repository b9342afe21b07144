/**
 * Calls in the text of gptme's answers: a fenced block whose first word is a tool's, or `@tool(id): {...}`. What a tool made of the bytes (a
 * line feed added, a patch applied) is not in the text: no edit is told from it.
 */
import { inputOf } from "../words/fields.ts";
import type { HeardAt, HeardCall, ToolKind } from "../words/heard.ts";
import { madeId } from "../words/made-id.ts";

const TOOLS: ReadonlyMap<string, ToolKind> = new Map([
  ["shell", "execute"],
  ["ipython", "execute"],
  ["tmux", "execute"],
  ["save", "edit"],
  ["append", "edit"],
  ["patch", "edit"],
  ["morph", "edit"],
  ["read", "read"],
  ["browser", "fetch"],
  ["todowrite", "plan"],
  ["subagent", "delegate"],
]);

/** The name, what stands behind it, and the text up to the fence. */
const FENCED = /^```(\w+)(?:[ \t]+([^\n`]*))?\n([\s\S]*?)^```[ \t]*$/gm;
/** To the end of its line: arguments are written on one. */
const NAMED = /^@(\w+)\(([^()\s]+)\):[ \t]*(\{.*\})[ \t]*$/gm;

export function callsIn(text: string, message: string, at: HeardAt): readonly HeardCall[] {
  const fenced = [...text.matchAll(FENCED)].flatMap(([, tool = "", rest = "", content = ""], nth) =>
    TOOLS.has(tool) ? [call(madeId(message, String(nth)), tool, { args: rest.trim(), content }, at)] : [],
  );
  const named = [...text.matchAll(NAMED)].map(([, tool = "", id = "", input = ""]) =>
    call(id, tool, inputOf(input), at),
  );
  return [...fenced, ...named];
}

function call(id: string, tool: string, input: HeardCall["input"], at: HeardAt): HeardCall {
  const does = TOOLS.get(tool) ?? "other";
  const path = does === "edit" || does === "read" ? (input.args ?? input.path) : null;
  const paths = typeof path === "string" && path !== "" ? [path] : [];
  return { kind: "call", id, tool, does, input, at, proof: "started", paths, edits: [], child: null };
}
