/** Would OpenAI's Responses API take it, without stored state? From the rules of docs/providers.md, none of them ours. */

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
import { OPENAI_IMAGE_URL } from "./check-openai-chat.ts";

export const OPENAI_RESPONSES_RULES = {
  "no-input": "input is required",
  "item-type": "an item is a message of a known role, a reasoning, a function_call or its output",
  "content-type": "an assistant's content is output_text, anybody else's is input",
  "unanswered-call": "each function_call has an output",
  "output-not-next":
    "nothing but other calls and outputs comes between a call and its output (asked for by imitators)",
  "orphan-output": "each output answers a function_call before it",
  "duplicate-output": "each function_call has one output",
  "duplicate-call-id": "the ids of calls are unique",
  "call-id": "a call's id has 1 to 64 characters",
  "call-name": "a tool's name is made of 1 to 64 letters, digits, _ and -",
  "call-arguments": "a call's arguments are a text",
  "output-missing": "an output is there, even when it is empty",
  "reasoning-alone": "reasoning is followed by what it led to",
  "reasoning-summary": "reasoning has a summary, a list of typed texts that may be empty",
  "item-id": "an item's id has the prefix of its type",
  "image-type": "an image is JPEG, PNG, GIF or WebP, by address or as a data URL",
  "lone-surrogate": "the request is valid JSON for a strict parser",
} as const;

type ResponsesRejections = Rejections<keyof typeof OPENAI_RESPONSES_RULES>;

const ROLES = new Set<unknown>(["system", "developer", "user", "assistant"]);
const CALL_TYPES = new Set<unknown>(["function_call", "function_call_output"]);
const ID_PREFIXES: Readonly<Record<string, string>> = {
  function_call: "fc",
  message: "msg",
  reasoning: "rs",
};

export function checkOpenAiResponses(exported: unknown, options: CheckOptions): Rejection[] {
  const found = rejectionsBy(OPENAI_RESPONSES_RULES);
  const { input } = fieldsOf(exported);
  const items = listOf(input).map(fieldsOf);
  if (items.length === 0 && (options.forRequest || !Array.isArray(input))) found.add("no-input", "input");
  const calls = new Set<unknown>();
  const answered = new Set<unknown>();
  for (const [at, item] of items.entries()) {
    const where = `input[${at}]`;
    checkId(found, item, where);
    const isCalling = CALL_TYPES.has(typeOf(item));
    if (!isCalling && calls.size > answered.size) found.add("output-not-next", where);
    switch (typeOf(item)) {
      case "message":
        checkMessage(found, item, where);
        break;
      case "reasoning":
        checkReasoning(found, item, afterReasoning(items, at), where);
        break;
      case "function_call":
        checkCall(found, item, calls, where);
        break;
      case "function_call_output":
        checkOutput(found, item, calls, answered, where);
        break;
      default:
        found.add("item-type", where);
    }
  }
  for (const id of calls) if (!answered.has(id)) found.add("unanswered-call", `input (${String(id)})`);
  for (const where of loneSurrogates(exported, "")) found.add("lone-surrogate", where.slice(1));
  return found.found;
}

/** A message may leave its type out. */
function typeOf(item: JsonFields): unknown {
  return item.type ?? (item.role === undefined ? undefined : "message");
}

/** The role or type of the first item after it that is not reasoning. */
function afterReasoning(items: readonly JsonFields[], at: number): unknown {
  let next = at + 1;
  while (items[next]?.type === "reasoning") next++;
  return items[next]?.role ?? items[next]?.type;
}

function checkId(found: ResponsesRejections, item: JsonFields, where: string): void {
  const { id } = item;
  const prefix = ID_PREFIXES[String(typeOf(item))];
  if (typeof id === "string" && prefix !== undefined && !id.startsWith(prefix)) found.add("item-id", where);
}

function checkMessage(found: ResponsesRejections, item: JsonFields, where: string): void {
  const { role, content } = item;
  if (!ROLES.has(role)) found.add("item-type", where);
  if (typeof content !== "string" && !Array.isArray(content)) found.add("content-type", where);
  const allowed =
    role === "assistant" ? ["output_text", "refusal"] : ["input_text", "input_image", "input_file"];
  for (const [at, part] of listOf(content).map(fieldsOf).entries()) {
    const inside = `${where}.content[${at}]`;
    if (!allowed.includes(String(part.type))) found.add("content-type", inside);
    if (part.type === "input_image" && !OPENAI_IMAGE_URL.test(String(part.image_url)))
      found.add("image-type", inside);
  }
}

function checkReasoning(found: ResponsesRejections, item: JsonFields, next: unknown, where: string): void {
  if (next !== "assistant" && next !== "function_call") found.add("reasoning-alone", where);
  const { summary } = item;
  const isTyped = listOf(summary).every((part) => fieldsOf(part).type === "summary_text");
  if (!Array.isArray(summary) || !isTyped) found.add("reasoning-summary", where);
}

function checkCall(found: ResponsesRejections, item: JsonFields, calls: Set<unknown>, where: string): void {
  const { call_id, name, arguments: input } = item;
  if (typeof call_id !== "string" || call_id === "" || call_id.length > 64) found.add("call-id", where);
  if (typeof name !== "string" || !/^[a-zA-Z0-9_-]{1,64}$/.test(name)) found.add("call-name", where);
  if (typeof input !== "string") found.add("call-arguments", where);
  if (calls.has(call_id)) found.add("duplicate-call-id", where);
  calls.add(call_id);
}

function checkOutput(
  found: ResponsesRejections,
  item: JsonFields,
  calls: ReadonlySet<unknown>,
  answered: Set<unknown>,
  where: string,
): void {
  const { call_id, output } = item;
  if (typeof output !== "string" && !Array.isArray(output)) found.add("output-missing", where);
  if (!calls.has(call_id)) found.add("orphan-output", where);
  if (answered.has(call_id)) found.add("duplicate-output", where);
  answered.add(call_id);
}
