/** pi's extension events, as 0.87.1 sends them; our extension hands them on as `{session_id, session_file, cwd, event}`. */
import type { JsonObject } from "../../model/json.ts";
import { contentText, objectAt, objectsAt, textAt } from "../words/fields.ts";
import type { Heard, HeardOutcome } from "../words/heard.ts";
import { type HookRow, hooksOf, promptHeard, sessionHeard, turnEndHeard } from "../words/hook-rows.ts";
import type { HookSource } from "../words/hooks.ts";
import { piCall } from "./transcript.ts";

const sourceOf = (payload: JsonObject): HookSource => ({
  nativeId: textAt(payload, "session_id"),
  cwd: textAt(payload, "cwd"),
  transcript: textAt(payload, "session_file"),
  child: null,
});

const eventOf = (payload: JsonObject): JsonObject | null => objectAt(payload, "event");

function called(payload: JsonObject): readonly Heard[] {
  const event = eventOf(payload);
  const block = { id: event?.toolCallId ?? "", name: event?.toolName ?? "", arguments: event?.input ?? {} };
  return [piCall(block, null)];
}

function done(payload: JsonObject): readonly Heard[] {
  const event = eventOf(payload);
  const call = textAt(event, "toolCallId") ?? "";
  const status = event?.isError === true ? ("failed" as const) : ("done" as const);
  const output = contentText(event?.content);
  return [{ kind: "result", call, status, origin: "real", output, at: null, edits: [] }];
}

const OUTCOMES: ReadonlyMap<string, HeardOutcome> = new Map([
  ["stop", "completed"],
  ["aborted", "cancelled"],
  ["error", "failed"],
  ["length", "failed"],
]);

/** How it ended stands in its last answer: as the event has it, or as our extension has taken it out. */
function settled(payload: JsonObject): readonly Heard[] {
  const event = eventOf(payload);
  const last = objectsAt(event, "messages").findLast(({ role }) => role === "assistant") ?? event;
  const outcome = OUTCOMES.get(textAt(last, "stopReason") ?? "");
  const answer = contentText(last?.content);
  return outcome === undefined ? [] : turnEndHeard(outcome, answer === "" ? null : answer, null);
}

const ROWS: readonly HookRow[] = [
  {
    name: "session_start",
    moment: "session-start",
    means: (payload) => sessionHeard(textAt(payload, "session_id"), textAt(payload, "cwd"), null),
  },
  {
    name: "input",
    moment: "prompt",
    means: (payload) => promptHeard(textAt(eventOf(payload), "text"), null, null),
  },
  { name: "tool_call", moment: "before-call", means: called },
  { name: "tool_result", moment: "after-call", means: done },
  { name: "agent_end", moment: "turn-end", means: settled },
  {
    name: "agent_settled",
    asked: false,
    moment: "other",
    trap: "0.87.1: comes after an abort and an error, too, and says no outcome: agent_end does",
  },
  {
    name: "session_shutdown",
    moment: "session-end",
    trap: "0.87.1: comes at a clean end and after SIGTERM, not after SIGINT",
    means: () => [{ kind: "ended", at: null }],
  },
  {
    name: "session_compact",
    moment: "after-compaction",
    means: () => [{ kind: "compacted", summary: null, at: null }],
  },
];

export const piHooks = hooksOf({
  rows: ROWS,
  source: sourceOf,
  notice: { event: "input", form: "by-plugin", compacted: "session_compact" },
});
