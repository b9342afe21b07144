/** Contents in the form of Gemini's API, and what its tools for files say of files. Qwen Code has inherited both. */
import type { Json, JsonObject } from "../../model/json.ts";
import type { Part } from "../../model/parts.ts";
import { contentText, objectAt, objectOf, objectsAt, textAt } from "../words/fields.ts";
import type { HeardCall, PlanItem, PlanItemState } from "../words/heard.ts";
import type { RecordedEdit } from "../words/recorded-edit.ts";

/** A content is a text, a part or a list of both. */
export const partsIn = (content: Json | undefined): readonly Json[] =>
  Array.isArray(content)
    ? (content as readonly Json[])
    : content === undefined || content === null
      ? []
      : [content];

/** What was said in it: no calls and no results. */
export const saidIn = (content: Json | undefined): readonly Part[] => partsIn(content).flatMap(partOf);

function partOf(value: Json): readonly Part[] {
  if (typeof value === "string") return value === "" ? [] : [{ type: "text", text: value }];
  const part = objectOf(value);
  const text = textAt(part, "text");
  if (text !== null && text !== "") return [{ type: part?.thought === true ? "thinking" : "text", text }];
  const data = objectAt(part, "inlineData") ?? objectAt(part, "fileData");
  return data === null
    ? []
    : [{ type: "media", media_type: textAt(data, "mimeType") ?? "application/octet-stream" }];
}

/** The words of a result: what the tool said, or why it failed. */
export function responseText(response: JsonObject | null): string {
  const said = textAt(response, "output") ?? textAt(response, "error");
  if (said !== null) return said;
  return contentText(response?.content);
}

/** The functionResponse parts of a content. */
export const responsesIn = (content: Json | undefined): readonly JsonObject[] =>
  partsIn(content).flatMap((value) => {
    const response = objectAt(objectOf(value), "functionResponse");
    return response === null ? [] : [response];
  });

/** A call that may have begun. */
export function callHeard(
  call: Pick<HeardCall, "id" | "tool" | "does" | "input" | "at" | "child">,
): HeardCall {
  const path = textAt(call.input, "file_path") ?? textAt(call.input, "absolute_path");
  return {
    kind: "call",
    ...call,
    proof: "started",
    paths: path === null ? [] : [path],
    edits: editsAsked(call.tool, call.input),
  };
}

/** How a tool says that it made the file. */
const MADE_NEW = /^(?:Successfully created and wrote to new file|Created new file)\b/;

const REPLACING = new Set(["replace", "edit"]);

function editsAsked(tool: string, input: JsonObject): readonly RecordedEdit[] {
  const path = textAt(input, "file_path");
  if (path === null) return [];
  if (tool === "write_file") {
    const after = textAt(input, "content");
    return after === null ? [] : [{ kind: "write", path, after }];
  }
  return REPLACING.has(tool) ? replaceAsked(path, input) : [];
}

function replaceAsked(path: string, input: JsonObject): readonly RecordedEdit[] {
  const [old, put] = [textAt(input, "old_string"), textAt(input, "new_string")];
  if (old === null || put === null) return [];
  // Nothing to be replaced: only a file that was not there is made so.
  if (old === "") return [{ kind: "write", path, after: put }];
  const everywhere = input.allow_multiple === true || input.replace_all === true;
  return [{ kind: "replace", path, old, new: put, everywhere, areLineEndsLost: true }];
}

export interface FileShown {
  readonly tool: string;
  readonly input: JsonObject;
  /** The `resultDisplay` of the call. */
  readonly display: JsonObject | null;
  /** What it said. */
  readonly output: string;
}

/** What the result shows of the file before and after. */
export function editsShown({ tool, input, display, output }: FileShown): readonly RecordedEdit[] {
  const path = textAt(display, "filePath") ?? textAt(input, "file_path");
  const [was, is] = [textAt(display, "originalContent"), textAt(display, "newContent")];
  if (path === null || is === null) return [];
  if (display?.isNewFile === true || MADE_NEW.test(output))
    return [{ kind: "write", path, after: is, before: null }];
  // Empty, or not there: it does not say.
  if (was === null || was === "") return [];
  if (tool === "write_file") return [{ kind: "write", path, after: withEndsOf(was, is), before: was }];
  if (!REPLACING.has(tool)) return [];
  const [asked] = replaceAsked(path, input);
  // A tool that found the place by likeness, or put a last line feed back, did something else than it was asked to.
  const isAsAsked = asked?.kind === "replace" && replaced(was, asked.old, asked.new, asked.everywhere) === is;
  return isAsAsked
    ? [{ ...asked, before: was }]
    : [{ kind: "write", path, after: is, before: was, areLineEndsLost: true }];
}

/** A file with CRLF gets them again for what is written over it. */
const withEndsOf = (was: string, is: string): string =>
  was.includes("\r\n") ? is.replaceAll(/\r?\n/g, "\r\n") : is;

function replaced(text: string, old: string, put: string, isEverywhere: boolean): string {
  return isEverywhere ? text.split(old).join(put) : text.replace(old, () => put);
}

const STATES: Readonly<Record<string, PlanItemState>> = {
  pending: "open",
  blocked: "open",
  in_progress: "doing",
  completed: "done",
};

/** Items that were called off are no items any more. `words`: the field an item's text is in. */
export const planIn = (input: JsonObject, words: "content" | "description"): readonly PlanItem[] =>
  objectsAt(input, "todos").flatMap((todo) => {
    const text = textAt(todo, words);
    const status = textAt(todo, "status") ?? "pending";
    if (text === null || status === "cancelled") return [];
    return [{ text, state: Object.hasOwn(STATES, status) ? (STATES[status] ?? "open") : "open" }];
  });

/** What hooks gave at a session's start, before the person's words in the same text (0.61.0: in the transcript and in BeforeAgent's payload). */
export function splitHookContext(text: string): { readonly context: string | null; readonly words: string } {
  const [whole = "", context = null] = /^\s*(<hook_context>[\s\S]*?<\/hook_context>)\s*/.exec(text) ?? [];
  return { context, words: text.slice(whole.length) };
}
