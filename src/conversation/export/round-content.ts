/** The parts of a message as content: blank texts, other people's thinking and unknown parts stay out. */
import { isJsonObject } from "../../model/json.ts";
import { isMedia, isText, isThinking, type Part } from "../../model/parts.ts";
import type { ViewMessage } from "../../model/view.ts";
import { mediaContent } from "./image.ts";
import { FORGOTTEN, SUMMARY_LABEL } from "./notes.ts";
import type { AssistantBlock, Content, SystemRound, UserRound } from "./round.ts";
import { isBlank } from "./well-formed.ts";

/** A user's or the system's message, or null when nothing of it is left. */
export function inputRound(message: ViewMessage): UserRound | SystemRound | null {
  const content = message.isForgotten ? [text(FORGOTTEN)] : partsOf(message).flatMap(partContent);
  if (content.length === 0) return null;
  // A summary stands in for what was said by both sides: whatever its role, it is told to the model.
  if (message.isSummary) return { kind: "user", content: [text(SUMMARY_LABEL), ...content], isNote: false };
  if (message.role === "system") return { kind: "system", text: content.map(plain).join("\n\n") };
  return { kind: "user", content, isNote: false };
}

/** An assistant's message as blocks, in its own order. */
export function answerBlocks(message: ViewMessage): AssistantBlock[] {
  if (message.isForgotten) return [{ kind: "text", text: FORGOTTEN, message: message.id }];
  return partsOf(message).flatMap((part): AssistantBlock[] => {
    const thinking = thinkingBlock(part, message.id);
    if (thinking !== null) return [thinking];
    // No provider takes an image from the assistant.
    return partContent(part).map((content) => ({ kind: "text", text: plain(content), message: message.id }));
  });
}

export function plain(content: Content): string {
  return content.kind === "text" ? content.text : content.placeholder;
}

/** A body is read back as it was stored; what is no object is no part. */
function partsOf(message: ViewMessage): Part[] {
  return message.parts.filter((part: unknown): part is Part => isJsonObject(part));
}

function partContent(part: Part): Content[] {
  if (isText(part)) return isBlank(part.text) ? [] : [text(part.text.toWellFormed())];
  return isMedia(part) ? [mediaContent(part)] : [];
}

function thinkingBlock(part: Part, message: string): AssistantBlock | null {
  // Redacted thinking is kept as it came, but cannot be replayed from here; it still counts as thinking.
  if (part.type === "redacted_thinking") {
    return { kind: "thinking", text: "", signature: null, encrypted: null, message };
  }
  if (!isThinking(part)) return null;
  const signature = typeof part.signature === "string" ? part.signature : null;
  const encrypted = typeof part.encrypted === "string" ? part.encrypted : null;
  return { kind: "thinking", text: part.text, signature, encrypted, message };
}

function text(value: string): Content {
  return { kind: "text", text: value };
}
