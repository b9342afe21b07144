/** Claude Code's hooks, as 2.1.325 calls them. */
import type { JsonObject } from "../../model/json.ts";
import { contentText, objectOf, textAt } from "../words/fields.ts";
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
import { callOf, doneEdits } from "./tools.ts";

const callHeard = (payload: JsonObject): readonly Heard[] => [
  callOf(
    {
      id: textAt(payload, "tool_use_id"),
      name: textAt(payload, "tool_name"),
      input: payload.tool_input ?? {},
    },
    null,
    textAt(payload, "agent_id"),
  ),
];

/** A command that failed comes as PostToolUseFailure. */
function doneHeard(payload: JsonObject): readonly Heard[] {
  const response = objectOf(payload.tool_response);
  return [
    resultOf(payload, {
      status: response?.interrupted === true ? "cancelled" : "done",
      output: response === null ? contentText(payload.tool_response) : printed(response),
      edits: doneEdits(response),
    }),
  ];
}

const printed = (response: JsonObject): string =>
  [textAt(response, "stdout"), textAt(response, "stderr")]
    .filter((text) => text !== null && text !== "")
    .join("\n");

const failedHeard = (payload: JsonObject): readonly Heard[] => [
  resultOf(payload, {
    status: payload.is_interrupt === true ? "cancelled" : "failed",
    output: textAt(payload, "error") ?? "",
    edits: [],
  }),
];

const resultOf = (
  payload: JsonObject,
  told: Pick<HeardResult, "status" | "output" | "edits">,
): HeardResult => ({
  ...{ kind: "result", call: textAt(payload, "tool_use_id") ?? "", origin: "real", at: null },
  ...told,
});

const ROWS: readonly HookRow[] = [
  {
    name: "SessionStart",
    moment: "session-start",
    means: (payload) => sessionHeard(textAt(payload, "session_id"), textAt(payload, "cwd"), null),
  },
  {
    name: "UserPromptSubmit",
    moment: "prompt",
    means: (payload) => promptHeard(textAt(payload, "prompt"), textAt(payload, "prompt_id"), null),
  },
  { name: "PreToolUse", moment: "before-call", means: callHeard },
  { name: "PostToolUse", moment: "after-call", means: doneHeard },
  { name: "PostToolUseFailure", moment: "after-call", means: failedHeard },
  {
    name: "Stop",
    moment: "turn-end",
    trap: "comes again where another hook has the agent go on: it ends the answer it names, and nothing later",
    means: (payload) => turnEndHeard("completed", textAt(payload, "last_assistant_message"), null),
  },
  { name: "StopFailure", asked: false, moment: "turn-end", means: () => turnEndHeard("failed", null, null) },
  {
    name: "SessionEnd",
    moment: "session-end",
    trap: "2.1.325: `other` at a clean end, after SIGINT and after SIGTERM alike; in the middle of a call no PostToolUse comes before it",
    means: () => [{ kind: "ended", at: null }],
  },
  { name: "SubagentStart", asked: false, moment: "child-start", means: childHeard("begun") },
  { name: "SubagentStop", moment: "child-end", means: childHeard("done") },
  { name: "PreCompact", moment: "before-compaction" },
  {
    name: "PostCompact",
    asked: false,
    moment: "after-compaction",
    means: (payload) => [{ kind: "compacted", summary: textAt(payload, "compact_summary"), at: null }],
  },
  { name: "CwdChanged", asked: false, moment: "folder-changed" },
];

export const claudeHooks = hooksOf({
  rows: ROWS,
  source: claudeLikeSource,
  notice: { event: "SessionStart", form: "hook-specific-output", compacted: "compact" },
});
