/** Calls of tools in Mastra's words: which ones a message tells of, and how one that nobody saved is told. */
import { systemClock } from "../../platform/clock.ts";
import type { UnkeptCall } from "../shared/unkept-calls.ts";

const TOLD = "refloat-told:";

/** The message that stands for a call until Mastra saves one of its own. */
export const toldId = (call: string): string => `${TOLD}${call}`;

interface ToldPart {
  readonly type?: unknown;
  readonly toolInvocation?: { readonly toolCallId?: unknown };
}

/** Of a message, or of its row, whose content is text. */
export function callsIn(message: object): string[] {
  const { content } = message as { readonly content?: unknown };
  const parsed: unknown = typeof content === "string" ? asJson(content) : content;
  const parts = (parsed as { readonly parts?: unknown } | null | undefined)?.parts;
  if (!Array.isArray(parts)) return [];
  return (parts as ToldPart[]).flatMap((part) => {
    const id = part?.type === "tool-invocation" ? part.toolInvocation?.toolCallId : undefined;
    return typeof id === "string" ? [id] : [];
  });
}

/** As Mastra's own messages of a tool that gave its result. */
export function messageOf({ id, tool, input, output }: UnkeptCall, threadId: string, resourceId: string) {
  const toolInvocation = { state: "result", toolCallId: id, toolName: tool, args: input, result: output };
  return {
    id: toldId(id),
    threadId,
    resourceId,
    role: "assistant",
    type: "text",
    createdAt: new Date(systemClock.nowMs()),
    content: { format: 2, parts: [{ type: "tool-invocation", toolInvocation }] },
  };
}

/** Content that is no JSON is a text, in which no call is. */
function asJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (_text) {
    return null;
  }
}
