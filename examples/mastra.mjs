// An agent of Mastra's whose payments are made once, wherever it is killed. It needs Node 22.13 and `npm install @mastra/core @mastra/memory zod`.
//   node examples/mastra.mjs
import { randomUUID } from "node:crypto";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Agent } from "@mastra/core/agent";
import { Mastra } from "@mastra/core/mastra";
import { createTool } from "@mastra/core/tools";
import { Memory } from "@mastra/memory";
import { openStore } from "refloat";
import { once, RefloatMastra } from "refloat/mastra";
import { z } from "zod";

const store = await openStore(); // $REFLOAT_HOME, else the state folder
const storage = new RefloatMastra(store);

const pay = createTool({
  id: "pay",
  description: "Pays a bill",
  inputSchema: z.object({ bill: z.number() }),
  execute: once(storage, { name: "pay" }, async ({ bill }) => {
    console.log(`pays bill ${bill}`);
    await sleep(500); // a bank takes its time
    appendFileSync(join(store.home, "payments"), `${bill}\n`);
    return `bill ${bill} is paid`;
  }),
});

// Stands in for a model: pays three bills, one after the other; where a payment may have been made it says so and goes on.
const model = {
  specificationVersion: "v2",
  provider: "scripted",
  modelId: "scripted",
  supportedUrls: {},
  async doGenerate({ prompt }) {
    const parts = prompt.flatMap(({ content }) => (Array.isArray(content) ? content : []));
    const asked = parts.filter(({ type }) => type === "tool-call").length;
    const unsure = parts.filter(
      ({ type, output }) => type === "tool-result" && /may have happened/.test(JSON.stringify(output)),
    ).length;
    const said = { type: "text", text: `Done; of ${unsure} payments please look yourself.` };
    const input = JSON.stringify({ bill: asked + 1 });
    const call = { type: "tool-call", toolCallId: `call_${randomUUID()}`, toolName: "pay", input };
    return {
      content: [asked === 3 ? said : call],
      finishReason: asked === 3 ? "stop" : "tool-calls",
      usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
      warnings: [],
    };
  },
};

const agent = new Agent({
  id: "payer",
  name: "payer",
  instructions: "You pay bills.",
  model,
  memory: new Memory({ storage }),
  tools: { pay },
});
new Mastra({ storage, agents: { payer: agent }, logger: false });
const memory = { thread: "bills", resource: "me" };
const { text } = await agent.generate("Pay my bills.", { memory });
console.log(`says: ${text}`);
await storage.close();
await store.close();
