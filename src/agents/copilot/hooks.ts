/** Copilot CLI's hooks, as 1.0.102 calls them. They give calls no id. */
import type { JsonObject } from "../../model/json.ts";
import { inputOf, objectAt, textAt, timeOf } from "../words/fields.ts";
import type { Heard, HeardResult } from "../words/heard.ts";
import {
  type HookRow,
  hooksOf,
  promptHeard,
  sessionHeard,
  turnEndHeard,
  unnamedCall,
} from "../words/hook-rows.ts";
import type { HookSource } from "../words/hooks.ts";
import { callOf, editsDone } from "./tools.ts";

const callIn = (payload: JsonObject): ReturnType<typeof callOf> => {
  const tool = textAt(payload, "toolName") ?? "";
  const input = inputOf(payload.toolArgs);
  return callOf(unnamedCall(tool, input), tool, input, timeOf(payload.timestamp), null);
};

const RESULTS: ReadonlyMap<string, HeardResult["status"]> = new Map([
  ["success", "done"],
  ["failure", "failed"],
  ["rejected", "cancelled"],
  ["denied", "cancelled"],
]);

function resultHeard(payload: JsonObject): readonly Heard[] {
  const call = callIn(payload);
  const result = objectAt(payload, "toolResult");
  const status = RESULTS.get(textAt(result, "resultType") ?? "") ?? "failed";
  const output = textAt(result, "textResultForLlm") ?? "";
  const edits = status === "done" ? editsDone(call, { content: output }) : [];
  return [{ kind: "result", call: call.id, status, origin: "real", output, at: call.at, edits }];
}

const ROWS: readonly HookRow[] = [
  {
    name: "sessionStart",
    moment: "session-start",
    means: (payload) =>
      sessionHeard(textAt(payload, "sessionId"), textAt(payload, "cwd"), timeOf(payload.timestamp)),
  },
  {
    name: "userPromptSubmitted",
    moment: "prompt",
    means: (payload) => promptHeard(textAt(payload, "prompt"), null, timeOf(payload.timestamp)),
  },
  {
    name: "preToolUse",
    moment: "before-call",
    trap: "1.0.102: no id of the call: told apart by tool, input and order",
    means: (payload) => [callIn(payload)],
  },
  { name: "postToolUse", moment: "after-call", means: resultHeard },
  {
    name: "agentStop",
    moment: "turn-end",
    means: (payload) =>
      payload.stopReason === "end_turn" ? turnEndHeard("completed", null, timeOf(payload.timestamp)) : [],
  },
  {
    name: "sessionEnd",
    moment: "session-end",
    trap: "1.0.102: says `complete` after SIGINT and SIGTERM in the middle of a tool, too: no turn is over by it",
    means: (payload) => [{ kind: "ended", at: timeOf(payload.timestamp) }],
  },
  { name: "subagentStop", moment: "other" },
  { name: "errorOccurred", moment: "other" },
  { name: "preCompact", asked: false, moment: "before-compaction" },
];

const sourceOf = (payload: JsonObject): HookSource => ({
  nativeId: textAt(payload, "sessionId"),
  cwd: textAt(payload, "cwd"),
  transcript: textAt(payload, "transcriptPath"),
  child: null,
});

export const copilotHooks = hooksOf({ rows: ROWS, source: sourceOf, notice: null });
