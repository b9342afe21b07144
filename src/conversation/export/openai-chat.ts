/**
 * A view as OpenAI's Chat Completions API takes it (C6; the rules with their sources are in
 * docs/providers.md). System texts stay where they were said, but never between calls and their results.
 * Thinking is left out: the API has no place for it.
 */
import type { View } from "../../model/view.ts";
import type {
  AssistantRound,
  CallBlock,
  Content,
  ImageContent,
  RoundResult,
  SystemRound,
  UserRound,
} from "./round.ts";
import { FAILED_PREFIX, plain } from "./round-content.ts";
import { roundsOf } from "./rounds.ts";
import { callInput, wireCallId, wireName } from "./well-formed.ts";

export interface ChatText {
  readonly type: "text";
  readonly text: string;
}
export interface ChatImage {
  readonly type: "image_url";
  readonly image_url: { readonly url: string };
}
export interface ChatToolCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}
export type ChatMessage =
  | { readonly role: "system"; readonly content: string }
  | { readonly role: "user"; readonly content: string | (ChatText | ChatImage)[] }
  | {
      readonly role: "assistant";
      readonly content: string | ChatText[] | null;
      readonly tool_calls?: ChatToolCall[];
    }
  | { readonly role: "tool"; readonly tool_call_id: string; readonly content: string };

export interface ChatExport {
  readonly messages: ChatMessage[];
}

const MAX_CALL_ID_CHARS = 40;
const MAX_TOOL_NAME_CHARS = 64;

export function exportOpenAiChat(view: View): ChatExport {
  const messages = roundsOf(view).flatMap((round): ChatMessage[] => {
    if (round.kind !== "assistant") return [input(round)];
    return [answer(round), ...round.results.map(toolMessage), ...round.meanwhile.map(input)];
  });
  return { messages };
}

function input(round: UserRound | SystemRound): ChatMessage {
  if (round.kind === "system") return { role: "system", content: round.text };
  const [first, ...others] = round.content;
  if (first?.kind === "text" && others.length === 0) return { role: "user", content: first.text };
  return { role: "user", content: round.content.map(contentPart) };
}

function contentPart(content: Content): ChatText | ChatImage {
  if (content.kind === "text") return { type: "text", text: content.text };
  return { type: "image_url", image_url: { url: imageUrl(content) } };
}

/** An image by its address, or its bytes as one. */
export function imageUrl({ source }: ImageContent): string {
  return source.kind === "url" ? source.url : `data:${source.mediaType};base64,${source.data}`;
}

function answer(round: AssistantRound): ChatMessage {
  const texts = round.blocks.flatMap((block): ChatText[] =>
    block.kind === "text" ? [{ type: "text", text: block.text }] : [],
  );
  const calls = round.blocks.flatMap((block) => (block.kind === "call" ? [toolCall(block)] : []));
  const content = texts.length > 1 ? texts : (texts[0]?.text ?? null);
  return calls.length === 0
    ? { role: "assistant", content }
    : { role: "assistant", content, tool_calls: calls };
}

function toolCall(block: CallBlock): ChatToolCall {
  return {
    id: wireCallId(block.key, MAX_CALL_ID_CHARS),
    type: "function",
    function: {
      name: wireName(block.tool, MAX_TOOL_NAME_CHARS),
      arguments: JSON.stringify(callInput(block.input)),
    },
  };
}

function toolMessage(result: RoundResult): ChatMessage {
  return {
    role: "tool",
    tool_call_id: wireCallId(result.key, MAX_CALL_ID_CHARS),
    content: resultText(result),
  };
}

/** A result where only text is taken and nothing marks an error: the text says it, and never more than is known. */
export function resultText(result: RoundResult): string {
  const lines = result.content.map(plain);
  return (result.isError && !result.isTold ? [FAILED_PREFIX, ...lines] : lines).join("\n");
}
