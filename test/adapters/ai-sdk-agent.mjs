// A chat of the AI SDK whose answers charge two orders each and are streamed; killed anywhere, started again.
import { randomUUID } from "node:crypto";
import {
  convertToModelMessages,
  generateId,
  JsonToSseTransformStream,
  stepCountIs,
  streamText,
  tool,
} from "ai";
import { MockLanguageModelV3, simulateReadableStream } from "ai/test";
import { createResumableStreamContext, uiChat } from "refloat/ai-sdk";
import { z } from "zod";
import { charge, during, lift, ORDERS, opened, say, toldOf } from "./shop.mjs";

const store = await opened();
const chat = uiChat(store, { id: "orders", lift });
const streams = createResumableStreamContext(store);

/** What is acknowledged is said, in words that a later read can give again. */
async function save(messages) {
  await during("save", () => chat.save(messages));
  for (const message of messages) say({ acked: JSON.stringify(message) });
}

const none = { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0, text: 0, reasoning: 0 };
const finish = (unified) => ({
  type: "finish",
  finishReason: { unified, raw: undefined },
  usage: { inputTokens: none, outputTokens: none },
});

// Stands in for a model: charges the next two orders that nothing was said of yet.
const model = new MockLanguageModelV3({
  doStream: async ({ prompt }) => {
    const parts = prompt.flatMap(({ content }) => (typeof content === "string" ? [] : content));
    const asked = parts.filter(({ type }) => type === "tool-call");
    for (const { toolCallId, output } of parts.filter(({ type }) => type === "tool-result"))
      say(toldOf(asked.find((call) => call.toolCallId === toolCallId).input.order, JSON.stringify(output)));
    const now = prompt.slice(prompt.findLastIndex(({ role }) => role === "user"));
    const since = now.flatMap(({ content }) => content).filter(({ type }) => type === "tool-call").length;
    const isDone = since === 2 || asked.length >= ORDERS;
    const call = {
      type: "tool-call",
      toolCallId: `call_${randomUUID()}`,
      toolName: "charge",
      input: JSON.stringify({ order: asked.length + 1 }),
    };
    const text = [
      { type: "text-start", id: "1" },
      { type: "text-delta", id: "1", delta: "charged two" },
      { type: "text-end", id: "1" },
    ];
    const chunks = [
      { type: "stream-start", warnings: [] },
      ...(isDone ? text : [call]),
      finish(isDone ? "stop" : "tool-calls"),
    ];
    return { stream: simulateReadableStream({ chunks, initialDelayInMs: null, chunkDelayInMs: null }) };
  },
});

const tools = {
  charge: tool({
    description: "charges an order",
    inputSchema: z.object({ order: z.number() }),
    execute: chat.once({ name: "charge" }, ({ order }) => charge(order)),
  }),
};

const charged = (messages) =>
  messages.flatMap(({ parts }) => parts).filter(({ toolCallId }) => toolCallId !== undefined).length;

for (;;) {
  const before = await during("read", () => chat.messages());
  if (charged(before) >= ORDERS) break;
  const ask = { id: generateId(), role: "user", parts: [{ type: "text", text: "charge two more" }] };
  const messages = [...before, ask];
  await save(messages);
  const result = streamText({
    model,
    tools,
    messages: await convertToModelMessages(messages),
    stopWhen: stepCountIs(5),
  });
  const saved = Promise.withResolvers?.() ?? deferred();
  const ui = result.toUIMessageStream({
    originalMessages: messages,
    generateMessageId: generateId,
    onFinish: ({ messages: all }) => save(all).then(saved.resolve, saved.reject),
  });
  await streams.createNewResumableStream(ask.id, () => ui.pipeThrough(new JsonToSseTransformStream()));
  await saved.promise;
}
// The last charge may be told by the list alone: nothing is left to ask the model for.
for (const part of (await chat.messages()).flatMap(({ parts }) => parts))
  if (part.toolCallId !== undefined)
    say(toldOf(part.input.order, JSON.stringify(part.output ?? part.errorText)));
await streams.close();
await chat.close();
await store.close();

function deferred() {
  const made = {};
  made.promise = new Promise((resolve, reject) => Object.assign(made, { resolve, reject }));
  return made;
}
