/**
 * A view as OpenAI's Responses API takes it without stored state (C6; the rules with their sources are in
 * docs/providers.md). No item has an id: an id the server does not hold is refused, and it would tie items
 * to reasoning that may be gone. For the same reason an answer's text is a plain string: as `output_text`
 * it would need an id. System texts before anything else are the `instructions`.
 */
import type { View } from "../../model/view.ts";
import { imageUrl, resultText } from "./openai-chat.ts";
import type {
  AssistantBlock,
  AssistantRound,
  Content,
  RoundResult,
  SystemRound,
  ThinkingBlock,
  UserRound,
} from "./round.ts";
import { roundsOf } from "./rounds.ts";
import { callInput, isBlank, wireCallId, wireName } from "./well-formed.ts";

export type ResponseInputPart =
  | { readonly type: "input_text"; readonly text: string }
  | { readonly type: "input_image"; readonly image_url: string; readonly detail: "auto" };
export type ResponseItem =
  | { readonly type: "message"; readonly role: "user" | "system"; readonly content: ResponseInputPart[] }
  | { readonly type: "message"; readonly role: "assistant"; readonly content: string }
  | {
      readonly type: "reasoning";
      readonly summary: { readonly type: "summary_text"; readonly text: string }[];
      readonly encrypted_content: string;
    }
  | {
      readonly type: "function_call";
      readonly call_id: string;
      readonly name: string;
      readonly arguments: string;
    }
  | { readonly type: "function_call_output"; readonly call_id: string; readonly output: string };

export interface ResponsesExport {
  readonly instructions?: string;
  readonly input: ResponseItem[];
}

const MAX_CALL_ID_CHARS = 64;
const MAX_TOOL_NAME_CHARS = 64;

export function exportOpenAiResponses(view: View): ResponsesExport {
  const rounds = roundsOf(view);
  const firstOther = rounds.findIndex((round) => round.kind !== "system");
  const leading = firstOther === -1 ? rounds.length : firstOther;
  const instructions = rounds
    .slice(0, leading)
    .flatMap((round) => (round.kind === "system" ? [round.text] : []));
  const input = rounds.slice(leading).flatMap((round): ResponseItem[] => {
    if (round.kind !== "assistant") return [message(round)];
    return [...answer(round), ...round.results.map(callOutput), ...round.meanwhile.map(message)];
  });
  return instructions.length === 0 ? { input } : { instructions: instructions.join("\n\n"), input };
}

function message(round: UserRound | SystemRound): ResponseItem {
  if (round.kind === "user") return { type: "message", role: "user", content: round.content.map(inputPart) };
  return { type: "message", role: "system", content: [{ type: "input_text", text: round.text }] };
}

function inputPart(content: Content): ResponseInputPart {
  if (content.kind === "text") return { type: "input_text", text: content.text };
  return { type: "input_image", image_url: imageUrl(content), detail: "auto" };
}

/**
 * Outputs follow their calls at once, so what was said after the first call moves before it. Reasoning stays
 * with what it led to: right before the first call nothing comes between, after a call it is left out.
 */
function answer(round: AssistantRound): ResponseItem[] {
  const firstCall = round.blocks.findIndex((block) => block.kind === "call");
  const calls = round.blocks.filter((block) => block.kind === "call");
  const before = firstCall === -1 ? round.blocks : round.blocks.slice(0, firstCall);
  const after =
    firstCall === -1 ? [] : round.blocks.slice(firstCall).filter((block) => block.kind === "text");
  const lead = before.findLastIndex((block) => block.kind !== "thinking") + 1;
  return [...before.slice(0, lead), ...after, ...before.slice(lead), ...calls].flatMap(answerItem);
}

function answerItem(block: AssistantBlock): ResponseItem[] {
  switch (block.kind) {
    case "text":
      return [{ type: "message", role: "assistant", content: block.text }];
    case "thinking":
      return reasoning(block);
    case "call": {
      const name = wireName(block.tool, MAX_TOOL_NAME_CHARS);
      const call_id = wireCallId(block.key, MAX_CALL_ID_CHARS);
      return [{ type: "function_call", call_id, name, arguments: JSON.stringify(callInput(block.input)) }];
    }
    default:
      return block satisfies never;
  }
}

/** Without its encrypted content reasoning means nothing to the server, and is refused. */
function reasoning(block: ThinkingBlock): ResponseItem[] {
  if (block.encrypted === null || !/^[!-~]+$/.test(block.encrypted)) return [];
  const text = block.text.toWellFormed();
  const summary = isBlank(text) ? [] : [{ type: "summary_text", text } as const];
  return [{ type: "reasoning", summary, encrypted_content: block.encrypted }];
}

function callOutput(result: RoundResult): ResponseItem {
  const call_id = wireCallId(result.key, MAX_CALL_ID_CHARS);
  return { type: "function_call_output", call_id, output: resultText(result) };
}
