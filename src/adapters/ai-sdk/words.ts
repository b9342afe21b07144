/** A call that nobody kept, in the words of UI messages and of model messages. Pure. */
import type { JSONValue, ModelMessage, UIMessage } from "ai";
import type { ItemWords } from "../shared/item-list.ts";

const textOf = (output: unknown): string => (typeof output === "string" ? output : JSON.stringify(output));

export const UI_WORDS: ItemWords<UIMessage> = {
  kind: "ai-sdk.messages",
  callsIn: ({ parts }) => parts.flatMap((part) => ("toolCallId" in part ? [part.toolCallId] : [])),
  itemsOf: ({ id, tool, input, output, isDone }) => [
    {
      id: `told-${id}`,
      role: "assistant",
      parts: [
        { type: "step-start" },
        isDone
          ? { type: "dynamic-tool", toolName: tool, toolCallId: id, state: "output-available", input, output }
          : {
              type: "dynamic-tool",
              toolName: tool,
              toolCallId: id,
              state: "output-error",
              input,
              errorText: textOf(output),
            },
      ],
    },
  ],
};

export const MODEL_WORDS: ItemWords<ModelMessage> = {
  kind: "ai-sdk.model-messages",
  callsIn: ({ content }) =>
    Array.isArray(content) ? content.flatMap((part) => ("toolCallId" in part ? [part.toolCallId] : [])) : [],
  itemsOf: ({ id, tool, input, output, isDone }) => [
    { role: "assistant", content: [{ type: "tool-call", toolCallId: id, toolName: tool, input }] },
    {
      role: "tool",
      content: [
        {
          type: "tool-result",
          toolCallId: id,
          toolName: tool,
          output: isDone
            ? { type: "json", value: output as JSONValue }
            : { type: "error-text", value: textOf(output) },
        },
      ],
    },
  ],
};
