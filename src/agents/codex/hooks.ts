/** Codex's hooks, as 0.166.0 calls them: in Claude Code's shape, with calls under the same ids as in its rollout. */
import type { JsonObject } from "../../model/json.ts";
import { objectOf, textAt } from "../words/fields.ts";
import type { Heard } from "../words/heard.ts";
import {
  childHeard,
  claudeLikeSource,
  type HookRow,
  hooksOf,
  promptHeard,
  sessionHeard,
  turnEndHeard,
} from "../words/hook-rows.ts";
import { callOf } from "./tool-calls.ts";
import { toldResult } from "./tool-results.ts";

/** What its hooks call its tools, where its rollout has another name. */
const NAMES: ReadonlyMap<string, string> = new Map([["Bash", "exec_command"]]);

function callHeard(payload: JsonObject): readonly Heard[] {
  const name = textAt(payload, "tool_name") ?? "";
  const item = { type: "function_call", name: NAMES.get(name) ?? name, arguments: inputIn(payload) };
  const child = textAt(payload, "agent_id");
  return callOf(item, textAt(payload, "tool_use_id") ?? "", null).map((heard) =>
    heard.kind === "call" ? { ...heard, child } : heard,
  );
}

/** A patch comes as the command that it is. */
function inputIn(payload: JsonObject): JsonObject {
  const input = objectOf(payload.tool_input) ?? {};
  const patch = textAt(payload, "tool_name") === "apply_patch" ? textAt(input, "command") : null;
  return patch === null ? input : { ...input, input: patch };
}

const resultHeard = (payload: JsonObject): readonly Heard[] => [
  toldResult(textAt(payload, "tool_use_id") ?? "", payload.tool_response, null).result,
];

const ROWS: readonly HookRow[] = [
  {
    name: "SessionStart",
    moment: "session-start",
    means: (payload) => sessionHeard(textAt(payload, "session_id"), textAt(payload, "cwd"), null),
  },
  {
    name: "UserPromptSubmit",
    moment: "prompt",
    means: (payload) => promptHeard(textAt(payload, "prompt"), textAt(payload, "turn_id"), null),
  },
  { name: "PreToolUse", moment: "before-call", means: callHeard },
  { name: "PostToolUse", moment: "after-call", means: resultHeard },
  {
    name: "Stop",
    moment: "turn-end",
    means: (payload) => turnEndHeard("completed", textAt(payload, "last_assistant_message"), null),
  },
  {
    name: "Interrupt",
    moment: "interrupted",
    trap: "0.166.0: after SIGINT and Esc, before SessionEnd; after SIGTERM and SIGKILL nothing comes",
    means: () => turnEndHeard("cancelled", null, null),
  },
  { name: "SessionEnd", moment: "session-end", means: () => [{ kind: "ended", at: null }] },
  { name: "SubagentStart", asked: false, moment: "child-start", means: childHeard("begun") },
  { name: "SubagentStop", moment: "child-end", means: childHeard("done") },
  { name: "PreCompact", moment: "before-compaction" },
  {
    name: "PostCompact",
    asked: false,
    moment: "after-compaction",
    means: () => [{ kind: "compacted", summary: null, at: null }],
  },
];

export const codexHooks = hooksOf({
  rows: ROWS,
  source: claudeLikeSource,
  notice: { event: "SessionStart", form: "hook-specific-output", compacted: "compact" },
});
