/**
 * What `codex exec --json` says as it goes. Its items are numbered for the stream alone (`item_3`), so that no call, result or message of
 * it can be told to be the one the rollout file has: those are heard from the file, where they stand as soon. It has no text before it is
 * whole.
 */
import type { JsonObject } from "../../model/json.ts";
import { timeIn } from "../../supervise/limit-reader.ts";
import type { LineReader } from "../words/adapter.ts";
import { kindAt, objectAt, objectsAt, textAt } from "../words/fields.ts";
import type { Heard } from "../words/heard.ts";
import { childrenOfItem } from "./children.ts";

/** How it says that the usage limit is reached: in all forms of it since 0.30. */
export const LIMIT_WORDS = "hit your usage limit";

export const codexStream: LineReader = {
  links: () => null,
  read(line) {
    switch (line.type) {
      case "thread.started":
        return session(textAt(line, "thread_id"));
      case "turn.started":
        return [{ kind: "turn-began", id: null, at: null }];
      case "turn.completed":
        return [{ kind: "turn-ended", outcome: "completed", proof: "record", at: null }];
      case "turn.failed":
        return [
          ...limit(textAt(objectAt(line, "error"), "message")),
          { kind: "turn-ended", outcome: "failed", proof: "record", at: null },
        ];
      case "error":
        return limit(textAt(line, "message"));
      case "item.started":
      case "item.updated":
      case "item.completed":
        return item(objectAt(line, "item"));
      default:
        return [{ kind: "unknown", type: kindAt(line) }];
    }
  },
};

function session(nativeId: string | null): readonly Heard[] {
  if (nativeId === null) return [];
  const nothing = { cwd: null, version: null, branch: null, model: null, at: null, parent: null };
  return [{ kind: "session", nativeId, ...nothing }];
}

function limit(message: string | null): readonly Heard[] {
  return message?.includes(LIMIT_WORDS) === true
    ? [{ kind: "limit", resetsAtMs: timeIn(message), at: null }]
    : [];
}

function item(value: JsonObject | null): readonly Heard[] {
  switch (value?.type) {
    case "todo_list":
      return [{ kind: "plan", items: planItems(value), at: null }];
    case "collab_tool_call":
      return childrenOfItem(value, null);
    case "error":
      return limit(textAt(value, "message"));
    case "agent_message":
    case "reasoning":
    case "command_execution":
    case "file_change":
    case "mcp_tool_call":
    case "web_search":
      return [];
    default:
      return [{ kind: "unknown", type: `item ${kindAt(value)}` }];
  }
}

const planItems = (list: JsonObject): Extract<Heard, { kind: "plan" }>["items"] =>
  objectsAt(list, "items").map((one) => ({
    text: textAt(one, "text") ?? "",
    state: one.completed === true ? "done" : "open",
  }));
