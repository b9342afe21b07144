// An agent of the OpenAI Agents SDK whose payments are made once, wherever it is killed. It needs `npm install @openai/agents zod`.
//   node examples/openai-agents.mjs
import { randomUUID } from "node:crypto";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Agent, run, setTracingDisabled, tool, Usage } from "@openai/agents-core";
import { openStore } from "refloat";
import { RefloatSession } from "refloat/openai-agents";
import { z } from "zod";

setTracingDisabled(true);
const store = await openStore(); // $REFLOAT_HOME, else the state folder
const session = new RefloatSession(store, { sessionId: "bills" });

const pay = tool({
  name: "pay",
  description: "Pays a bill",
  parameters: z.object({ bill: z.number() }),
  execute: session.once({ name: "pay" }, async ({ bill }) => {
    console.log(`pays bill ${bill}`);
    await sleep(500); // a bank takes its time
    appendFileSync(join(store.home, "payments"), `${bill}\n`);
    return `bill ${bill} is paid`;
  }),
});

// Stands in for a model: pays three bills, one after the other; where a payment may have been made it says so and goes on.
const model = {
  async getResponse({ input }) {
    const asked = input.filter(({ type }) => type === "function_call").length;
    const unsure = input.filter(({ output }) =>
      /may have happened/.test(JSON.stringify(output) ?? ""),
    ).length;
    const text = `Done; of ${unsure} payments please look yourself.`;
    const said = {
      type: "message",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text }],
    };
    const callId = `call_${randomUUID()}`;
    const bill = JSON.stringify({ bill: asked + 1 });
    const call = { type: "function_call", callId, name: "pay", status: "completed", arguments: bill };
    return { usage: new Usage(), output: [asked === 3 ? said : call] };
  },
};

const agent = new Agent({ name: "payer", model, tools: [pay] });
const { finalOutput } = await run(agent, "Pay my bills.", { session });
console.log(`says: ${finalOutput}`);
await session.close();
await store.close();
