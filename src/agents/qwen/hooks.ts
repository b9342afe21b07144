/** Qwen Code's hooks, as 0.24.4 calls them: Claude Code's shape, the contents in Gemini's. `tool_call_id` is the transcript's id of a call. */
import type { JsonObject } from "../../model/json.ts";
import { callHeard, editsShown } from "../gemini/content.ts";
import { contentText, inputOf, objectAt, textAt, timeOf } from "../words/fields.ts";
import type { Heard, HeardResult } from "../words/heard.ts";
import {
  childHeard,
  claudeLikeSource,
  type HookRow,
  hooksOf,
  promptHeard,
  sessionHeard,
  turnEndHeard,
} from "../words/hook-rows.ts";
import { isMadeUp, toolKind } from "./transcript.ts";

const idOf = (payload: JsonObject): string =>
  textAt(payload, "tool_call_id") ?? textAt(payload, "tool_use_id") ?? "";

function toolHeard(payload: JsonObject): readonly Heard[] {
  const tool = textAt(payload, "tool_name") ?? "";
  const [input, at] = [inputOf(payload.tool_input), timeOf(payload.timestamp)];
  const child = textAt(payload, "agent_id");
  return [callHeard({ id: idOf(payload), tool, does: toolKind(tool), input, at, child })];
}

function doneHeard(payload: JsonObject): readonly Heard[] {
  const tool = textAt(payload, "tool_name") ?? "";
  const response = objectAt(payload, "tool_response");
  const output = contentText(response?.llmContent);
  const display = objectAt(response, "returnDisplay");
  const edits = editsShown({ tool, input: inputOf(payload.tool_input), display, output });
  return [resultOf(payload, { status: "done", origin: "real", output, edits })];
}

/** Also after SIGINT and SIGTERM: then in the place of a result it never had. */
function failedHeard(payload: JsonObject): readonly Heard[] {
  const output = textAt(payload, "error") ?? "";
  const isCutOff = payload.is_interrupt === true || isMadeUp(output);
  const told = isCutOff
    ? ({ status: "cancelled", origin: "synthetic" } as const)
    : ({ status: "failed", origin: "real" } as const);
  return [resultOf(payload, { ...told, output, edits: [] })];
}

const resultOf = (
  payload: JsonObject,
  told: Pick<HeardResult, "status" | "origin" | "output" | "edits">,
): HeardResult => ({ kind: "result", call: idOf(payload), at: timeOf(payload.timestamp), ...told });

const ROWS: readonly HookRow[] = [
  {
    name: "SessionStart",
    moment: "session-start",
    means: (payload) =>
      sessionHeard(textAt(payload, "session_id"), textAt(payload, "cwd"), timeOf(payload.timestamp)),
  },
  {
    name: "UserPromptSubmit",
    moment: "prompt",
    trap: "0.24.4: comes with an empty prompt after each tool: nobody said anything",
    means: (payload) =>
      promptHeard(textAt(payload, "prompt"), textAt(payload, "prompt_id"), timeOf(payload.timestamp)),
  },
  { name: "PreToolUse", moment: "before-call", means: toolHeard },
  { name: "PostToolUse", moment: "after-call", means: doneHeard },
  {
    name: "PostToolUseFailure",
    moment: "after-call",
    trap: "0.24.4: also after SIGINT and SIGTERM: its program made that result up, and what the call did is not known",
    means: failedHeard,
  },
  {
    name: "Stop",
    moment: "turn-end",
    means: (payload) =>
      turnEndHeard("completed", textAt(payload, "last_assistant_message"), timeOf(payload.timestamp)),
  },
  { name: "StopFailure", asked: false, moment: "turn-end", means: () => turnEndHeard("failed", null, null) },
  {
    name: "SessionEnd",
    moment: "session-end",
    trap: "0.24.4: never comes when it is not interactive",
    means: (payload) => [{ kind: "ended", at: timeOf(payload.timestamp) }],
  },
  { name: "SubagentStart", asked: false, moment: "child-start", means: childHeard("begun") },
  { name: "SubagentStop", moment: "child-end", means: childHeard("done") },
  { name: "PreCompact", moment: "before-compaction" },
];

export const qwenHooks = hooksOf({
  rows: ROWS,
  source: claudeLikeSource,
  notice: { event: "SessionStart", form: "hook-specific-output", compacted: "compact" },
});
