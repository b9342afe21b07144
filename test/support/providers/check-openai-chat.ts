/** Would OpenAI's Chat Completions API take it? From the rules of docs/providers.md, none of them ours. */
import {
  type CheckOptions,
  fieldsOf,
  type JsonFields,
  listOf,
  loneSurrogates,
  type Rejection,
  type Rejections,
  rejectionsBy,
} from "../../../src/conversation/export/rejection.ts";
import { isBlank } from "../../../src/conversation/export/well-formed.ts";

export const OPENAI_CHAT_RULES = {
  "no-messages": "at least one message is required",
  role: "a role is system, developer, user, assistant or tool",
  "null-content": "a message without calls has content",
  "empty-text": "a text has a character that is not a space (asked for by the API's imitators)",
  "empty-calls": "a list of calls is not empty",
  "unanswered-call": "tool messages answer each call right after the message that made it",
  "orphan-result": "a tool message answers a call of the assistant message before",
  "duplicate-result": "each call is answered once",
  "duplicate-call-id": "the ids of calls are unique",
  "call-id": "a call's id has 1 to 40 characters",
  "call-name": "a tool's name is made of 1 to 64 letters, digits, _ and -",
  "call-arguments": "a call's arguments are a text",
  "image-role": "only a user's message holds images",
  "image-type": "an image is JPEG, PNG, GIF or WebP, by address or as a data URL",
  "lone-surrogate": "the request is valid JSON for a strict parser",
} as const;

type ChatRejections = Rejections<keyof typeof OPENAI_CHAT_RULES>;

const ROLES = new Set<unknown>(["system", "developer", "user", "assistant", "tool"]);
export const OPENAI_IMAGE_URL = /^(https?:\/\/|data:image\/(jpeg|png|gif|webp);base64,[A-Za-z0-9+/])/;

export function checkOpenAiChat(exported: unknown, options: CheckOptions): Rejection[] {
  const found = rejectionsBy(OPENAI_CHAT_RULES);
  const { messages } = fieldsOf(exported);
  const all = listOf(messages).map(fieldsOf);
  if (all.length === 0 && (options.forRequest || !Array.isArray(messages)))
    found.add("no-messages", "messages");
  const callIds = new Set<unknown>();
  let open = new Set<unknown>();
  let answered = new Set<unknown>();
  for (const [at, message] of all.entries()) {
    const where = `messages[${at}]`;
    checkMessage(found, message, where);
    if (message.role === "tool") {
      checkResult(found, message.tool_call_id, open, answered, where);
      continue;
    }
    if (open.size > 0) found.add("unanswered-call", where);
    open = new Set(listOf(message.tool_calls).map((call) => fieldsOf(call).id));
    answered = new Set();
    for (const [nth, call] of listOf(message.tool_calls).entries()) {
      checkCall(found, fieldsOf(call), callIds, `${where}.tool_calls[${nth}]`);
    }
  }
  if (open.size > 0) found.add("unanswered-call", "messages");
  for (const where of loneSurrogates(exported, "")) found.add("lone-surrogate", where.slice(1));
  return found.found;
}

/** Takes the answered call out of `open`. */
function checkResult(
  found: ChatRejections,
  id: unknown,
  open: Set<unknown>,
  answered: Set<unknown>,
  where: string,
): void {
  if (answered.has(id)) found.add("duplicate-result", where);
  else if (!open.has(id)) found.add("orphan-result", where);
  open.delete(id);
  answered.add(id);
}

function checkMessage(found: ChatRejections, message: JsonFields, where: string): void {
  const { role, content, tool_calls } = message;
  if (!ROLES.has(role)) found.add("role", where);
  if (Array.isArray(tool_calls) && tool_calls.length === 0) found.add("empty-calls", where);
  const isBare = content === null || content === undefined;
  if (isBare && listOf(tool_calls).length === 0) found.add("null-content", where);
  if (typeof content === "string" && isBlank(content)) found.add("empty-text", where);
  for (const [at, part] of listOf(content).map(fieldsOf).entries()) {
    const inside = `${where}.content[${at}]`;
    if (part.type === "image_url") checkImage(found, part, role, inside);
    else if (typeof part.text !== "string" || isBlank(part.text)) found.add("empty-text", inside);
  }
}

function checkImage(found: ChatRejections, part: JsonFields, role: unknown, where: string): void {
  if (role !== "user") found.add("image-role", where);
  const { url } = fieldsOf(part.image_url);
  if (typeof url !== "string" || !OPENAI_IMAGE_URL.test(url)) found.add("image-type", where);
}

function checkCall(found: ChatRejections, call: JsonFields, seen: Set<unknown>, where: string): void {
  const { id } = call;
  const { name, arguments: input } = fieldsOf(call.function);
  if (typeof id !== "string" || id === "" || id.length > 40) found.add("call-id", where);
  if (typeof name !== "string" || !/^[a-zA-Z0-9_-]{1,64}$/.test(name)) found.add("call-name", where);
  if (typeof input !== "string") found.add("call-arguments", where);
  if (seen.has(id)) found.add("duplicate-call-id", where);
  seen.add(id);
}
