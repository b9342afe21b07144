/** Gemini CLI's hooks, as 0.61.0 calls them. They give calls no id, and its transcript loses the call that was open: here it is told. */
import type { JsonObject } from "../../model/json.ts";
import { contentText, inputOf, objectAt, textAt, timeOf } from "../words/fields.ts";
import type { Heard } from "../words/heard.ts";
import {
  claudeLikeSource,
  type HookRow,
  hooksOf,
  promptHeard,
  sessionHeard,
  turnEndHeard,
  unnamedCall,
} from "../words/hook-rows.ts";
import { callHeard, editsShown, splitHookContext } from "./content.ts";
import { toolKind } from "./transcript.ts";

function toolHeard(payload: JsonObject): readonly Heard[] {
  const tool = textAt(payload, "tool_name") ?? "";
  const input = inputOf(payload.tool_input);
  const at = timeOf(payload.timestamp);
  const id = unnamedCall(tool, input);
  return [callHeard({ id, tool, does: toolKind(tool), input, at, child: textAt(payload, "agent_id") })];
}

function resultHeard(payload: JsonObject): readonly Heard[] {
  const tool = textAt(payload, "tool_name") ?? "";
  const input = inputOf(payload.tool_input);
  const response = objectAt(payload, "tool_response");
  const output = contentText(response?.llmContent);
  const isFailed = response?.error !== undefined && response.error !== null;
  const display = objectAt(response, "returnDisplay");
  return [
    {
      ...{ kind: "result", call: unnamedCall(tool, input), origin: "real" },
      status: isFailed ? "failed" : "done",
      output,
      at: timeOf(payload.timestamp),
      edits: isFailed ? [] : editsShown({ tool, input, display, output }),
    },
  ];
}

function promptedHeard(payload: JsonObject): readonly Heard[] {
  const prompt = textAt(payload, "prompt");
  const words = prompt === null ? null : splitHookContext(prompt).words;
  return promptHeard(words, null, timeOf(payload.timestamp));
}

const ROWS: readonly HookRow[] = [
  {
    name: "SessionStart",
    moment: "session-start",
    means: (payload) =>
      sessionHeard(textAt(payload, "session_id"), textAt(payload, "cwd"), timeOf(payload.timestamp)),
  },
  {
    name: "BeforeAgent",
    moment: "prompt",
    trap: "0.61.0: what a hook gave at the session's start stands before the person's words",
    means: promptedHeard,
  },
  {
    name: "BeforeTool",
    moment: "before-call",
    trap: "0.61.0: no id of the call: told apart by tool, input and order",
    means: toolHeard,
  },
  { name: "AfterTool", moment: "after-call", means: resultHeard },
  {
    name: "AfterAgent",
    moment: "turn-end",
    trap: "0.61.0: `prompt_response` has the words of all answers of the turn, some twice: nothing is compared with it",
    means: (payload) => turnEndHeard("completed", null, timeOf(payload.timestamp)),
  },
  {
    name: "SessionEnd",
    moment: "session-end",
    trap: "0.61.0: `exit` at a clean end and after SIGINT in the middle of a tool alike",
    means: (payload) => [{ kind: "ended", at: timeOf(payload.timestamp) }],
  },
  {
    name: "PreCompress",
    asked: false,
    moment: "other",
    trap: "0.61.0: comes before every call of the model: no context was shortened by it",
  },
];

export const geminiHooks = hooksOf({
  rows: ROWS,
  source: claudeLikeSource,
  notice: { event: "SessionStart", form: "hook-specific-output", compacted: null },
});
