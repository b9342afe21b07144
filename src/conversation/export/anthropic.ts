/**
 * A view as Anthropic's Messages API takes it (C6; the rules with their sources are in docs/providers.md).
 *
 * - System texts before anything else are the top-level `system`; later ones are user text under a label,
 *   because models before 2026 refuse the system role among messages.
 * - The first message is the user's: where the view begins with the assistant (a window, or a greeting) a
 *   note stands before it.
 * - Roles alternate, the results of an answer come first in the next message, calls come last in theirs.
 * - Thinking is sent verbatim or not at all: only with text and signature, only where the answer begins
 *   with it, and all of a message's or none.
 */
import type { JsonObject } from "../../model/json.ts";
import type { View } from "../../model/view.ts";
import type {
  AssistantBlock,
  AssistantRound,
  Content,
  ImageContent,
  ImageType,
  RoundResult,
  SystemRound,
  ThinkingBlock,
  UserRound,
} from "./round.ts";
import { BEGINS_NOTE, EARLIER_NOTE, plain, SYSTEM_LABEL } from "./round-content.ts";
import { roundsOf } from "./rounds.ts";
import { callInput, isBlank, trimEnd, wireCallId, wireName } from "./well-formed.ts";

export interface AnthropicText {
  readonly type: "text";
  readonly text: string;
}
export interface AnthropicThinking {
  readonly type: "thinking";
  readonly thinking: string;
  readonly signature: string;
}
export interface AnthropicImage {
  readonly type: "image";
  readonly source:
    | { readonly type: "base64"; readonly media_type: ImageType; readonly data: string }
    | { readonly type: "url"; readonly url: string };
}
export interface AnthropicToolUse {
  readonly type: "tool_use";
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
}
export interface AnthropicToolResult {
  readonly type: "tool_result";
  readonly tool_use_id: string;
  readonly content: (AnthropicText | AnthropicImage)[];
  readonly is_error?: true;
}
export type AnthropicUserBlock = AnthropicText | AnthropicImage | AnthropicToolResult;
export type AnthropicAssistantBlock = AnthropicText | AnthropicThinking | AnthropicToolUse;
export type AnthropicMessage =
  | { readonly role: "user"; readonly content: AnthropicUserBlock[] }
  | { readonly role: "assistant"; readonly content: AnthropicAssistantBlock[] };

export interface AnthropicExport {
  readonly system?: string;
  readonly messages: AnthropicMessage[];
}

/** Bedrock's bound on ids; Anthropic's own is larger and not published. */
const MAX_CALL_ID_CHARS = 64;
/** The bound on a tool's definition; a call in the history may have 200. */
const MAX_TOOL_NAME_CHARS = 128;

export function exportAnthropic(view: View): AnthropicExport {
  const rounds = roundsOf(view);
  const firstOther = rounds.findIndex((round) => round.kind !== "system");
  const leading = firstOther === -1 ? rounds.length : firstOther;
  const system = rounds.slice(0, leading).flatMap((round) => (round.kind === "system" ? [round.text] : []));
  const messages: AnthropicMessage[] = [];
  for (const round of rounds.slice(leading)) {
    if (round.kind !== "assistant") {
      addUser(messages, inputBlocks(round));
      continue;
    }
    if (messages.length === 0) addUser(messages, [text(view.earlier === 0 ? BEGINS_NOTE : EARLIER_NOTE)]);
    messages.push({ role: "assistant", content: answer(round) });
    addUser(messages, [...round.results.map(toolResult), ...round.meanwhile.flatMap(inputBlocks)]);
  }
  return system.length === 0 ? { messages } : { system: system.join("\n\n"), messages };
}

function addUser(messages: AnthropicMessage[], blocks: readonly AnthropicUserBlock[]): void {
  const last = messages.at(-1);
  if (last?.role === "user") last.content.push(...blocks);
  else if (blocks.length > 0) messages.push({ role: "user", content: [...blocks] });
}

function inputBlocks(round: UserRound | SystemRound): AnthropicUserBlock[] {
  return round.kind === "system" ? [text(SYSTEM_LABEL), text(round.text)] : round.content.map(contentBlock);
}

function contentBlock(content: Content): AnthropicText | AnthropicImage {
  return content.kind === "text" ? text(content.text) : image(content);
}

function image({ source }: ImageContent): AnthropicImage {
  if (source.kind === "url") return { type: "image", source: { type: "url", url: source.url } };
  return { type: "image", source: { type: "base64", media_type: source.mediaType, data: source.data } };
}

function toolResult(result: RoundResult): AnthropicToolResult {
  const id = wireCallId(result.key, MAX_CALL_ID_CHARS);
  // An error may hold text only.
  const content = result.content.map((item) => (result.isError ? text(plain(item)) : contentBlock(item)));
  const base = { type: "tool_result", tool_use_id: id, content } as const;
  return result.isError ? { ...base, is_error: true } : base;
}

function answer(round: AssistantRound): AnthropicAssistantBlock[] {
  const ordered = callsLast(withoutTornThinking(round.blocks));
  const blocks =
    ordered[0]?.kind === "thinking" ? ordered : ordered.filter((block) => block.kind !== "thinking");
  const content = blocks.map(answerBlock);
  const last = content.at(-1);
  // Trimmed wherever an answer ends on text, not only at the very end: a cloud was seen to refuse both.
  if (last?.type === "text") content[content.length - 1] = text(trimEnd(last.text));
  return content;
}

/** Dropping some of a message's thinking counts as changing it: so all of it is kept, or none. */
function withoutTornThinking(blocks: readonly AssistantBlock[]): AssistantBlock[] {
  const torn = new Set(
    blocks.flatMap((block) => (block.kind === "thinking" && !isSigned(block) ? [block.message] : [])),
  );
  return blocks.filter((block) => block.kind !== "thinking" || !torn.has(block.message));
}

function isSigned(block: ThinkingBlock): boolean {
  return (
    !isBlank(block.text) && block.text.isWellFormed() && block.signature !== null && isAscii(block.signature)
  );
}

/** A signature is base64; a text that is not plain ASCII was never one. */
function isAscii(signature: string): boolean {
  return /^[!-~]+$/.test(signature);
}

/**
 * Text moves before the calls, because with thinking a message must end on its calls. Thinking never moves:
 * where it comes after a call it begins a new stretch; a last stretch without a call gives up its thinking.
 */
function callsLast(blocks: readonly AssistantBlock[]): AssistantBlock[] {
  const stretches: { said: AssistantBlock[]; calls: AssistantBlock[] }[] = [{ said: [], calls: [] }];
  for (const block of blocks) {
    const current = stretches.at(-1);
    if (current === undefined) continue;
    if (block.kind === "call") current.calls.push(block);
    else if (block.kind === "thinking" && current.calls.length > 0)
      stretches.push({ said: [block], calls: [] });
    else current.said.push(block);
  }
  const last = stretches.at(-1);
  const before = stretches.at(-2);
  if (last !== undefined && before !== undefined && last.calls.length === 0) {
    before.said.push(...last.said.filter((block) => block.kind === "text"));
    stretches.pop();
  }
  return stretches.flatMap(({ said, calls }) => [...said, ...calls]);
}

function answerBlock(block: AssistantBlock): AnthropicAssistantBlock {
  switch (block.kind) {
    case "text":
      return text(block.text);
    case "thinking":
      return { type: "thinking", thinking: block.text, signature: block.signature ?? "" };
    case "call": {
      const id = wireCallId(block.key, MAX_CALL_ID_CHARS);
      return {
        type: "tool_use",
        id,
        name: wireName(block.tool, MAX_TOOL_NAME_CHARS),
        input: callInput(block.input),
      };
    }
    default:
      return block satisfies never;
  }
}

function text(value: string): AnthropicText {
  return { type: "text", text: value };
}
