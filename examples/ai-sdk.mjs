// An agent of the AI SDK whose payments are made once, wherever it is killed. It needs `npm install ai zod`.
//   node examples/ai-sdk.mjs
import { randomUUID } from "node:crypto";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { generateText, stepCountIs, tool } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { openStore } from "refloat";
import { modelChat } from "refloat/ai-sdk";
import { z } from "zod";

const store = await openStore(); // $REFLOAT_HOME, else the state folder
const chat = modelChat(store, { id: "bills" });

const pay = tool({
  description: "Pays a bill",
  inputSchema: z.object({ bill: z.number() }),
  execute: chat.once({ name: "pay" }, async ({ bill }) => {
    console.log(`pays bill ${bill}`);
    await sleep(500); // a bank takes its time
    appendFileSync(join(store.home, "payments"), `${bill}\n`);
    return `bill ${bill} is paid`;
  }),
});

// Stands in for a model: pays three bills, one after the other; where a payment may have been made it says so and goes on.
const none = { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0, text: 0, reasoning: 0 };
const model = new MockLanguageModelV3({
  doGenerate: async ({ prompt }) => {
    const parts = prompt.flatMap(({ content }) => (typeof content === "string" ? [] : content));
    const asked = parts.filter(({ type }) => type === "tool-call").length;
    const unsure = parts.filter(({ output }) =>
      /may have happened/.test(JSON.stringify(output) ?? ""),
    ).length;
    const input = JSON.stringify({ bill: asked + 1 });
    const call = { type: "tool-call", toolCallId: `call_${randomUUID()}`, toolName: "pay", input };
    const text = { type: "text", text: `Done; of ${unsure} payments please look yourself.` };
    return {
      content: [asked === 3 ? text : call],
      finishReason: { unified: asked === 3 ? "stop" : "tool-calls", raw: undefined },
      usage: { inputTokens: none, outputTokens: none },
      warnings: [],
    };
  },
});

if ((await chat.messages()).length === 0) await chat.add({ role: "user", content: "Pay my bills." });
const messages = await chat.messages();
const { text, response } = await generateText({ model, tools: { pay }, messages, stopWhen: stepCountIs(8) });
await chat.add(...response.messages);
console.log(`says: ${text}`);
await chat.close();
await store.close();
