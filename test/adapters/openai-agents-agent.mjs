// An agent of the OpenAI Agents SDK that charges two orders a run; killed anywhere, started again.
import { randomUUID } from "node:crypto";
import { Agent, run, setTracingDisabled, tool, Usage } from "@openai/agents-core";
import { RefloatSession } from "refloat/openai-agents";
import { z } from "zod";
import { charge, during, lift, ORDERS, opened, say, toldOf } from "./shop.mjs";

setTracingDisabled(true);
const store = await opened();

/** What is acknowledged is said, in words that a later read can give again. */
class SayingSession extends RefloatSession {
  async addItems(items) {
    await during("save", () => super.addItems(items));
    for (const item of items) say({ acked: JSON.stringify(item) });
  }
}
const session = new SayingSession(store, { sessionId: "orders", lift });

const calls = (items) => items.filter(({ type }) => type === "function_call");

/** What a conversation says of the charges, to the model and to whoever reads it. */
function tell(items) {
  for (const { callId, output } of items.filter(({ type }) => type === "function_call_result")) {
    const { order } = JSON.parse(calls(items).find((call) => call.callId === callId).arguments);
    say(toldOf(order, JSON.stringify(output)));
  }
}

// Stands in for a model: charges the next two orders that nothing was said of yet.
const model = {
  async getResponse({ input }) {
    const asked = calls(input);
    tell(input);
    const since = calls(input.slice(input.findLastIndex(({ role }) => role === "user"))).length;
    const isDone = since === 2 || asked.length >= ORDERS;
    const text = { type: "output_text", text: "charged two" };
    const call = {
      type: "function_call",
      callId: `call_${randomUUID()}`,
      name: "charge",
      status: "completed",
      arguments: JSON.stringify({ order: asked.length + 1 }),
    };
    const message = { type: "message", role: "assistant", status: "completed", content: [text] };
    return { usage: new Usage(), output: [isDone ? message : call], responseId: randomUUID() };
  },
};

const agent = new Agent({
  name: "shop",
  model,
  tools: [
    tool({
      name: "charge",
      description: "charges an order",
      parameters: z.object({ order: z.number() }),
      execute: session.once({ name: "charge" }, ({ order }) => charge(order)),
    }),
  ],
});

const read = () => during("read", () => session.getItems());
while (calls(await read()).length < ORDERS) await run(agent, "charge two more", { session });
const items = await session.getItems();
tell(items); // the last charge may be told by the list alone: nothing is left to ask the model for
for (const item of items) say({ acked: JSON.stringify(item) });
await session.close();
await store.close();
