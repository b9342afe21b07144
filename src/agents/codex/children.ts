/** Codex's subagents: threads of their own, each with its own rollout file, of which the parent's says how they stand. */
import type { Json, JsonObject } from "../../model/json.ts";
import { listAt, objectAt, objectOf, objectsAt, textAt, textOf } from "../words/fields.ts";
import type { Heard, HeardAt } from "../words/heard.ts";
import { heardJson } from "../words/heard-json.ts";

/** A label is half a line. */
const MAX_LABEL_CHARS = 120;
const NOTIFICATION = /^\s*<subagent_notification>\s*([\s\S]*?)\s*<\/subagent_notification>/;

type ChildState = "begun" | "done" | "failed";

/** `"running"`, or an object whose one name is the state. */
function stateOf(status: Json | undefined): ChildState | null {
  const word = textOf(status) ?? textAt(objectOf(status), "status") ?? Object.keys(objectOf(status) ?? {})[0];
  switch (word) {
    case "pending_init":
    case "running":
      return "begun";
    case "completed":
      return "done";
    case "errored":
    case "not_found":
      return "failed";
    default:
      return null;
  }
}

const child = (id: string, label: string, state: ChildState, at: HeardAt): Heard => ({
  ...{ kind: "child", id, label: label.slice(0, MAX_LABEL_CHARS), state, transcript: null, at },
});

/** A call to the tools that start, ask and await subagents. */
export function childrenOfItem(item: JsonObject, at: HeardAt): readonly Heard[] {
  const names = new Map(
    objectsAt(item, "receiver_agents").map((one) => [
      textAt(one, "thread_id"),
      textAt(one, "agent_nickname"),
    ]),
  );
  const states = objectAt(item, "agents_states");
  const prompt = textAt(item, "prompt") ?? "";
  return listAt(item, "receiver_thread_ids").flatMap((value) => {
    const id = textOf(value);
    const state = id === null ? null : stateOf(states?.[id]);
    if (id === null || state === null) return [];
    const name = names.get(id) ?? null;
    return [
      child(id, [name, prompt].filter((word) => word !== null && word !== "").join(": ") || id, state, at),
    ];
  });
}

/** What the machinery tells the model of a subagent; nothing where the text is none of it. */
export function childrenOfNotice(text: string, at: HeardAt): readonly Heard[] {
  const told = objectOf(heardJson(NOTIFICATION.exec(text)?.[1] ?? ""));
  const id = textAt(told, "agent_path") ?? textAt(told, "agent_id");
  const state = stateOf(told?.status);
  return id === null || state === null ? [] : [child(id, id, state, at)];
}
