/** Would Anthropic's Messages API take it? From the rules of docs/providers.md, none of them ours. */
import { isImageBase64, MAX_IMAGE_BASE64_CHARS, sniffImageType } from "./image.ts";
import {
  type CheckOptions,
  fieldsOf,
  type JsonFields,
  listOf,
  loneSurrogates,
  type Rejection,
  type Rejections,
  rejectionsBy,
} from "./rejection.ts";
import { IMAGE_TYPES } from "./round.ts";
import { isBlank, trimEnd } from "./well-formed.ts";

export const ANTHROPIC_RULES = {
  "no-messages": "at least one message is required",
  role: "a message is the user's or the assistant's; the system's text is a field of the request",
  "first-not-user": "the first message is the user's",
  "not-alternating": "roles alternate",
  "ends-with-assistant": "models from 2026 on do not go on with an answer begun for them",
  "empty-content": "a message has content",
  "empty-text": "a text has a character that is not a space",
  "trailing-whitespace": "an answer at the end does not end on a space",
  "unanswered-call": "each tool_use is answered in the very next message",
  "orphan-result": "each tool_result answers a tool_use of the message before",
  "results-not-first": "results come before anything else in their message",
  "duplicate-call-id": "the ids of tool_use blocks are unique in the request",
  "duplicate-result": "each tool_use has a single result",
  "call-id": "an id is made of letters, digits, _ and -",
  "call-name": "a tool's name is made of at most 200 letters, digits, _ and -",
  "call-input": "a tool's input is an object",
  "block-role": "calls and thinking are the assistant's, results and images the user's",
  "unknown-block": "the block's type is none the API knows",
  "thinking-empty": "a thinking block contains thinking",
  "thinking-unsigned": "a thinking block has the signature it came with",
  "thinking-not-first": "an answer with thinking begins with it",
  "thinking-last": "the final block of an answer is not thinking",
  "text-after-call": "an answer with thinking ends on its calls",
  "error-not-text": "a result that is an error holds text only",
  "image-type": "an image is JPEG, PNG, GIF or WebP",
  "image-data": "an image's data is base64 and not empty",
  "image-mismatch": "an image's bytes are of the type it says",
  "image-size": "an image has at most 5 MiB in base64",
  "image-url": "an image's address is https",
  "lone-surrogate": "the request is valid JSON for a strict parser",
} as const;

type AnthropicRule = keyof typeof ANTHROPIC_RULES;
type AnthropicRejections = Rejections<AnthropicRule>;

/** Which role may hold which block. */
const BLOCK_ROLES: Readonly<Record<string, readonly string[]>> = {
  text: ["user", "assistant"],
  image: ["user"],
  tool_result: ["user"],
  tool_use: ["assistant"],
  thinking: ["assistant"],
};

export function checkAnthropic(exported: unknown, options: CheckOptions): Rejection[] {
  const found = rejectionsBy(ANTHROPIC_RULES);
  const { system, messages } = fieldsOf(exported);
  if (typeof system === "string" && isBlank(system)) found.add("empty-text", "system");
  const all = listOf(messages).map(fieldsOf);
  if (all.length === 0 && (options.forRequest || !Array.isArray(messages)))
    found.add("no-messages", "messages");
  const callIds = new Set<unknown>();
  for (const [at, message] of all.entries()) {
    const where = `messages[${at}]`;
    checkRole(found, message, all[at - 1], where);
    checkContent(found, message, where);
    checkCalls(found, blocksOf(message), all[at + 1], callIds, where);
    checkResults(found, blocksOf(message), all[at - 1], where);
  }
  checkEnd(found, all, options);
  for (const where of loneSurrogates(exported, "")) found.add("lone-surrogate", where.slice(1));
  return found.found;
}

function checkRole(
  found: AnthropicRejections,
  message: JsonFields,
  before: JsonFields | undefined,
  where: string,
): void {
  if (message.role !== "user" && message.role !== "assistant") found.add("role", where);
  else if (before === undefined && message.role === "assistant") found.add("first-not-user", where);
  else if (before !== undefined && before.role === message.role) found.add("not-alternating", where);
}

function checkEnd(found: AnthropicRejections, all: readonly JsonFields[], options: CheckOptions): void {
  const last = all.at(-1);
  if (last === undefined || last.role !== "assistant") return;
  const where = `messages[${all.length - 1}]`;
  if (options.forRequest) found.add("ends-with-assistant", where);
  const text = blocksOf(last).at(-1)?.text;
  if (typeof text === "string" && trimEnd(text) !== text) found.add("trailing-whitespace", where);
}

function checkContent(found: AnthropicRejections, message: JsonFields, where: string): void {
  const blocks = blocksOf(message);
  if (blocks.length === 0) found.add("empty-content", where);
  for (const [at, block] of blocks.entries()) {
    checkBlock(found, block, message.role, `${where}.content[${at}]`);
  }
  const types = blocks.map((block) => block.type);
  if (!types.includes("thinking")) return;
  if (types[0] !== "thinking") found.add("thinking-not-first", where);
  if (types.at(-1) === "thinking") found.add("thinking-last", where);
  if (types.includes("tool_use") && types.at(-1) === "text") found.add("text-after-call", where);
}

function checkBlock(found: AnthropicRejections, block: JsonFields, role: unknown, where: string): void {
  const type = typeof block.type === "string" ? block.type : "";
  const roles = Object.hasOwn(BLOCK_ROLES, type) ? BLOCK_ROLES[type] : undefined;
  if (roles === undefined) {
    found.add("unknown-block", where);
    return;
  }
  if (typeof role === "string" && !roles.includes(role)) found.add("block-role", where);
  if (type === "text") checkText(found, block, where);
  if (type === "image") checkImage(found, block, where);
  if (type === "tool_use") checkCall(found, block, where);
  if (type === "tool_result") checkResultContent(found, block, where);
  if (type === "thinking") checkThinking(found, block, where);
}

function checkText(found: AnthropicRejections, block: JsonFields, where: string): void {
  if (typeof block.text !== "string" || isBlank(block.text)) found.add("empty-text", where);
}

function checkThinking(found: AnthropicRejections, block: JsonFields, where: string): void {
  if (typeof block.thinking !== "string" || isBlank(block.thinking)) found.add("thinking-empty", where);
  if (typeof block.signature !== "string" || block.signature === "") found.add("thinking-unsigned", where);
}

function checkCall(found: AnthropicRejections, block: JsonFields, where: string): void {
  const { id, name, input } = block;
  if (typeof id !== "string" || !/^[a-zA-Z0-9_-]+$/.test(id)) found.add("call-id", where);
  if (typeof name !== "string" || !/^[a-zA-Z0-9_-]{1,200}$/.test(name)) found.add("call-name", where);
  if (typeof input !== "object" || input === null || Array.isArray(input)) found.add("call-input", where);
}

function checkResultContent(found: AnthropicRejections, block: JsonFields, where: string): void {
  for (const [at, item] of listOf(block.content).map(fieldsOf).entries()) {
    const inside = `${where}.content[${at}]`;
    if (item.type !== "text" && item.type !== "image") found.add("unknown-block", inside);
    else checkBlock(found, item, "user", inside);
    if (block.is_error === true && item.type !== "text") found.add("error-not-text", inside);
  }
}

function checkImage(found: AnthropicRejections, block: JsonFields, where: string): void {
  const { type, url, media_type, data } = fieldsOf(block.source);
  if (type === "url") {
    if (typeof url !== "string" || !url.startsWith("https://")) found.add("image-url", where);
    return;
  }
  if (!IMAGE_TYPES.some((known) => known === media_type)) found.add("image-type", where);
  if (typeof data === "string" && data.length > MAX_IMAGE_BASE64_CHARS) found.add("image-size", where);
  else if (typeof data !== "string" || !isImageBase64(data)) found.add("image-data", where);
  else if (sniffImageType(data) !== media_type) found.add("image-mismatch", where);
}

function checkCalls(
  found: AnthropicRejections,
  blocks: readonly JsonFields[],
  next: JsonFields | undefined,
  seen: Set<unknown>,
  where: string,
): void {
  const answered = new Set(
    next === undefined ? [] : resultsOf(blocksOf(next)).map((block) => block.tool_use_id),
  );
  for (const block of blocks.filter((item) => item.type === "tool_use")) {
    if (seen.has(block.id)) found.add("duplicate-call-id", where);
    seen.add(block.id);
    if (!answered.has(block.id)) found.add("unanswered-call", where);
  }
}

function checkResults(
  found: AnthropicRejections,
  blocks: readonly JsonFields[],
  before: JsonFields | undefined,
  where: string,
): void {
  const called = before === undefined ? [] : blocksOf(before).filter((block) => block.type === "tool_use");
  const ids = new Set(called.map((block) => block.id));
  const results = resultsOf(blocks);
  if (blocks.slice(0, results.length).some((block) => block.type !== "tool_result")) {
    found.add("results-not-first", where);
  }
  const seen = new Set<unknown>();
  for (const { tool_use_id: id } of results) {
    if (!ids.has(id)) found.add("orphan-result", where);
    if (seen.has(id)) found.add("duplicate-result", where);
    seen.add(id);
  }
}

function resultsOf(blocks: readonly JsonFields[]): JsonFields[] {
  return blocks.filter((block) => block.type === "tool_result");
}

/** Content may be one text instead of blocks. */
function blocksOf(message: JsonFields): readonly JsonFields[] {
  const content = message.content;
  return typeof content === "string" ? [{ type: "text", text: content }] : listOf(content).map(fieldsOf);
}
