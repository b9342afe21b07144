/**
 * OpenCode's plugin hooks and events, as 1.18.33 calls them; our plugin hands them on as `{sessionID, directory, input, output}` and
 * `{sessionID, directory, event}`. `parentID`, where it knows one: the session whose subagent's this one is.
 */
import type { JsonObject } from "../../model/json.ts";
import { contentText, objectAt, objectsAt, textAt, timeOf } from "../words/fields.ts";
import type { Heard } from "../words/heard.ts";
import { type HookRow, hooksOf, promptHeard, sessionHeard, turnEndHeard } from "../words/hook-rows.ts";
import type { HookSource } from "../words/hooks.ts";
import { toolPart } from "./parts.ts";

const sessionOf = (payload: JsonObject): string | null => textAt(payload, "sessionID");

const propertiesOf = (payload: JsonObject): JsonObject | null =>
  objectAt(objectAt(payload, "event"), "properties");

function sourceOf(payload: JsonObject): HookSource {
  const [own, parent] = [sessionOf(payload), parentOf(payload)];
  const from = { cwd: textAt(payload, "directory"), transcript: null };
  return parent === null
    ? { ...from, nativeId: own, child: null }
    : { ...from, nativeId: parent, child: own };
}

const parentOf = (payload: JsonObject): string | null =>
  textAt(payload, "parentID") ?? textAt(objectAt(propertiesOf(payload), "info"), "parentID");

/** What happens inside a subagent ends nothing of its parent's, and nobody typed it. */
const isChild = (payload: JsonObject): boolean => parentOf(payload) !== null;

function begun(payload: JsonObject): readonly Heard[] {
  const info = objectAt(propertiesOf(payload), "info");
  const at = timeOf(objectAt(info, "time")?.created);
  const own = textAt(info, "id") ?? sessionOf(payload);
  if (!isChild(payload))
    return sessionHeard(own, textAt(info, "directory") ?? textAt(payload, "directory"), at);
  const label = textAt(info, "title") ?? "";
  return own === null ? [] : [{ kind: "child", id: own, label, state: "begun", transcript: null, at }];
}

function prompted(payload: JsonObject): readonly Heard[] {
  if (isChild(payload)) return [];
  const output = objectAt(payload, "output");
  const parts = objectsAt(output, "parts").filter((part) => part.type === "text" && part.synthetic !== true);
  const message = objectAt(output, "message");
  return promptHeard(contentText(parts), textAt(message, "id"), timeOf(objectAt(message, "time")?.created));
}

/** As a part of its database has it: one place for what a tool does and did. */
function tool(payload: JsonObject, state: JsonObject): readonly Heard[] {
  const input = objectAt(payload, "input");
  const child = isChild(payload) ? sessionOf(payload) : null;
  return toolPart({ tool: input?.tool ?? null, callID: input?.callID ?? null, state }, child);
}

const called = (payload: JsonObject): readonly Heard[] =>
  tool(payload, { status: "running", input: objectAt(objectAt(payload, "output"), "args") ?? {} });

function done(payload: JsonObject): readonly Heard[] {
  const output = objectAt(payload, "output");
  const input = objectAt(objectAt(payload, "input"), "args") ?? {};
  const metadata = objectAt(output, "metadata") ?? {};
  const heard = tool(payload, {
    status: "completed",
    input,
    metadata,
    output: textAt(output, "output") ?? "",
  });
  // Its beginning was told before it ran.
  return heard.filter(({ kind }) => kind === "result");
}

/** The person stopped it, or the model could not be asked. */
function failed(payload: JsonObject): readonly Heard[] {
  if (isChild(payload)) return [];
  const name = textAt(objectAt(propertiesOf(payload), "error"), "name");
  return turnEndHeard(name === "MessageAbortedError" ? "cancelled" : "failed", null, null);
}

const ROWS: readonly HookRow[] = [
  { name: "session.created", moment: "session-start", means: begun },
  { name: "chat.message", moment: "prompt", means: prompted },
  { name: "tool.execute.before", moment: "before-call", means: called },
  {
    name: "tool.execute.after",
    moment: "after-call",
    trap: "1.18.33: does not come for a tool that threw: the transcript has that end",
    means: done,
  },
  {
    name: "session.error",
    moment: "interrupted",
    trap: "1.18.33: session.idle comes after it: the first of the two ends the turn",
    means: failed,
  },
  {
    name: "session.idle",
    moment: "turn-end",
    means: (payload) => (isChild(payload) ? [] : turnEndHeard("completed", null, null)),
  },
  {
    name: "session.compacted",
    moment: "after-compaction",
    means: (payload) => (isChild(payload) ? [] : [{ kind: "compacted", summary: null, at: null }]),
  },
];

export const opencodeHooks = hooksOf({
  rows: ROWS,
  source: sourceOf,
  notice: { event: "chat.message", form: "by-plugin", compacted: "session.compacted" },
});
