/** Who said what in a Codex thread: much that has the user's role was put there by the program. */
import type { Json, JsonObject } from "../../model/json.ts";
import type { Part } from "../../model/parts.ts";
import { listAt, objectAt, objectOf, objectsAt, textAt } from "../words/fields.ts";
import { GO_ON, splitBrief } from "../words/go-on.ts";
import type { Heard, HeardAt, HeardMessage } from "../words/heard.ts";
import { childrenOfNotice } from "./children.ts";

/** How the program's own words begin, for versions that do not say whose they are (before 0.160). */
const MACHINERY =
  /^\s*(?:<(?:environment_context|user_instructions|turn_aborted|subagent_notification|user_shell_command|skill|permissions|INSTRUCTIONS)\b|# AGENTS\.md instructions)/;

/** `isChild`: what a subagent is asked was written by its parent. */
export function userMessage(item: JsonObject, id: string, at: HeardAt, isChild: boolean): readonly Heard[] {
  const origins = objectsAt(
    objectAt(item, "internal_chat_message_metadata_passthrough"),
    "content_item_metadata",
  );
  const person: Part[] = [];
  const machinery: Part[] = [];
  const children: Heard[] = [];
  for (const [index, value] of listAt(item, "content").entries()) {
    const origin = textAt(objectAt(origins[index] ?? null, "provenance"), "type");
    const part = partOf(value);
    if (part === null) continue;
    const text = part.type === "text" && typeof part.text === "string" ? part.text : "";
    const isPersons = !isChild && (origin === null ? !MACHINERY.test(text) : origin === "user");
    if (isPersons) takePersons(part, text, person, machinery);
    else {
      machinery.push(part);
      children.push(...childrenOfNotice(text, at));
    }
  }
  return [
    ...(machinery.length === 0
      ? []
      : [said(person.length === 0 ? id : `${id}:machinery`, "user", "machinery", machinery, at)]),
    ...(person.length === 0 ? [] : [said(id, "user", "person", person, at)]),
    ...children,
  ];
}

/** The brief before a prompt, and the sentence to go on, are ours. */
function takePersons(part: Part, text: string, person: Part[], machinery: Part[]): void {
  const split = splitBrief(text);
  if (split === null) {
    person.push(part);
    return;
  }
  if (split.prompt === GO_ON || split.prompt === "") machinery.push(part);
  else {
    machinery.push({ type: "text", text: split.brief });
    person.push({ type: "text", text: split.prompt });
  }
}

export function agentMessage(item: JsonObject, id: string, at: HeardAt): readonly Heard[] {
  const parts = listAt(item, "content").flatMap((value) => partOf(value) ?? []);
  return parts.length === 0 ? [] : [said(id, "assistant", "agent", parts, at)];
}

/** What another agent of the same tree wrote. */
export function otherAgentsMessage(item: JsonObject, id: string, at: HeardAt): readonly Heard[] {
  const parts = listAt(item, "content").flatMap((value) => partOf(value) ?? []);
  return parts.length === 0 ? [] : [said(id, "user", "machinery", parts, at)];
}

/** Only what can be read of it. */
export function reasoning(item: JsonObject, id: string, at: HeardAt): readonly Heard[] {
  const text = [...objectsAt(item, "summary"), ...objectsAt(item, "content")]
    .map((one) => textAt(one, "text") ?? "")
    .filter((one) => one !== "")
    .join("\n");
  return text === "" ? [] : [said(id, "assistant", "agent", [{ type: "thinking", text }], at)];
}

const said = (
  id: string,
  role: HeardMessage["role"],
  from: HeardMessage["from"],
  parts: readonly Part[],
  at: HeardAt,
): Heard => ({ kind: "message", id, role, parts, at, from, child: null });

function partOf(value: Json): Part | null {
  const block = objectOf(value);
  const text = textAt(block, "text");
  if (text !== null) return { type: "text", text };
  switch (block?.type) {
    case "input_image":
      return { type: "media", media_type: "image" };
    case "input_audio":
      return { type: "media", media_type: "audio" };
    case "refusal":
      return { type: "text", text: textAt(block, "refusal") ?? "" };
    default:
      return null;
  }
}
