/**
 * Continue's sessions: one document each, written anew with every change. In a window it is written as the work goes, calls that run
 * included; with `-p` only at the end: of a run that was killed there is nothing. Nothing in it has a time, and no turn has an end record.
 */
import { fileURLToPath } from "node:url";
import type { JsonObject } from "../../model/json.ts";
import type { Part } from "../../model/parts.ts";
import type { DocumentFormat } from "../words/adapter.ts";
import { contentText, inputOf, kindAt, objectAt, objectsAt, textAt } from "../words/fields.ts";
import { GO_ON, splitBrief } from "../words/go-on.ts";
import type { Heard, HeardMessage } from "../words/heard.ts";
import { madeId } from "../words/made-id.ts";
import { callOf, resultOf } from "./tool-calls.ts";
import { documentUpTo, wholeDocument } from "./whole-items.ts";

/** Its first names stand in this order. */
const BEGINNING = /^\s*\{\s*"sessionId"\s*:\s*"[^"]*"[\s\S]{0,2000}?"workspaceDirectory"\s*:/;

export const continueTranscript: DocumentFormat = {
  storage: "document",
  recognizes: (text) => BEGINNING.test(text.slice(0, 4096)),
  isTorn: (text) => wholeDocument(text) === null,
  read(text) {
    const document = wholeDocument(text) ?? documentUpTo(text);
    const nativeId = textAt(document, "sessionId");
    if (document === null || nativeId === null) return [];
    const items = objectsAt(document, "history");
    return [session(document, nativeId, items), ...items.flatMap((item, at) => heardOf(item, nativeId, at))];
  },
};

function session(document: JsonObject, nativeId: string, items: readonly JsonObject[]): Heard {
  const models = items.map((item) => textAt(objectAt(objectAt(item, "message"), "usage"), "model"));
  return {
    kind: "session",
    nativeId,
    cwd: folderOf(textAt(document, "workspaceDirectory")),
    version: null,
    branch: null,
    model: models.find((model) => model !== null) ?? null,
    at: null,
    parent: null,
  };
}

/** Editors write it as an address. */
function folderOf(folder: string | null): string | null {
  if (folder === null || !folder.startsWith("file:")) return folder;
  try {
    return fileURLToPath(folder);
  } catch (thrown) {
    if (thrown instanceof TypeError || thrown instanceof URIError) return null;
    throw thrown;
  }
}

function heardOf(item: JsonObject, session: string, at: number): readonly Heard[] {
  const message = objectAt(item, "message");
  const text = contentText(message?.content);
  const id = madeId(session, String(at), textAt(message, "role") ?? "", text);
  const summary = textAt(item, "conversationSummary");
  if (summary !== null) return [{ kind: "compacted", summary, at: null }];
  switch (message?.role) {
    case "user":
      return asked(id, text);
    case "assistant":
      return answer(id, text, message, item);
    case "tool":
      return [resultOf(textAt(message, "toolCallId") ?? "", "done", text, null)];
    case "thinking":
      return text === "" ? [] : [said(id, "assistant", "agent", [{ type: "thinking", text }])];
    case "system":
      return [];
    default:
      return [{ kind: "unknown", type: `role ${kindAt(message, "role")}` }];
  }
}

/** The brief before a prompt, and the sentence to go on, are ours. */
function asked(id: string, text: string): readonly Heard[] {
  const split = splitBrief(text);
  if (split === null) return [said(id, "user", "person", [{ type: "text", text }])];
  const { brief, prompt } = split;
  const ours = said(`${id}:machinery`, "user", "machinery", [{ type: "text", text: brief }]);
  return prompt === "" || prompt === GO_ON
    ? [ours]
    : [ours, said(id, "user", "person", [{ type: "text", text: prompt }])];
}

function answer(id: string, text: string, message: JsonObject, item: JsonObject): readonly Heard[] {
  const thought = textAt(objectAt(item, "reasoning"), "text") ?? "";
  const parts: Part[] = [
    ...(thought === "" ? [] : [{ type: "thinking", text: thought } as const]),
    ...(text === "" ? [] : [{ type: "text", text } as const]),
  ];
  const states = objectsAt(item, "toolCallStates");
  const stated = new Set(states.map((state) => textAt(state, "toolCallId")));
  const calls = objectsAt(message, "toolCalls").filter((call) => !stated.has(textAt(call, "id")));
  return [
    ...(parts.length === 0 ? [] : [said(id, "assistant", "agent", parts)]),
    ...calls.flatMap((call) => callOf({ toolCall: call, parsedArgs: argumentsOf(call) })),
    ...states.flatMap(callOf),
    ...(states.length + calls.length > 0
      ? []
      : [
          {
            kind: "turn-ended" as const,
            outcome: "completed" as const,
            proof: "inferred" as const,
            at: null,
          },
        ]),
  ];
}

const argumentsOf = (call: JsonObject): JsonObject => inputOf(objectAt(call, "function")?.arguments);

const said = (
  id: string,
  role: HeardMessage["role"],
  from: HeardMessage["from"],
  parts: readonly Part[],
): Heard => ({ kind: "message", id, role, parts, at: null, from, child: null });
