// A LangGraph agent that charges one order after the other; killed anywhere, started again.
import { randomUUID } from "node:crypto";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { END, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { once, RefloatMemory, RefloatSaver } from "refloat/langgraph";
import { z } from "zod";
import { charge, during, lift, ORDERS, opened, say, toldOf } from "./shop.mjs";

const store = await opened();

/** What is acknowledged is said, in words that a later read can give again. */
class SayingSaver extends RefloatSaver {
  async put(config, checkpoint, metadata, versions) {
    const put = await during("save", () => super.put(config, checkpoint, metadata, versions));
    const messages = checkpoint.channel_values.messages ?? [];
    say({ acked: `${checkpoint.id} ${messages.map(({ content }) => content).join("|")}` });
    return put;
  }
}
const checkpointer = new SayingSaver(store, { lift });
const memory = new RefloatMemory(store);

const chargeTool = tool(
  once(checkpointer, { name: "charge" }, ({ order }) => charge(order)),
  { name: "charge", description: "charges an order", schema: z.object({ order: z.number() }) },
);

// Stands in for a model: charges the next order that nothing was said of yet.
function model({ messages }) {
  const asked = messages.filter((message) => message.tool_calls?.length > 0).length;
  const last = messages.at(-1);
  if (last.getType() === "tool") say(toldOf(asked, String(last.content)));
  if (asked === ORDERS) return { messages: [new AIMessage("all charged")] };
  const call = { id: `call_${randomUUID()}`, name: "charge", args: { order: asked + 1 }, type: "tool_call" };
  return { messages: [new AIMessage({ content: `order ${asked + 1}`, tool_calls: [call] })] };
}

const graph = new StateGraph(MessagesAnnotation)
  .addNode("model", model)
  .addNode("tools", new ToolNode([chargeTool]))
  .addEdge(START, "model")
  .addConditionalEdges("model", ({ messages }) => (messages.at(-1).tool_calls?.length > 0 ? "tools" : END))
  .addEdge("tools", "model")
  .compile({ checkpointer, store: memory });

const config = { configurable: { thread_id: "orders" }, durability: "sync", recursionLimit: 4 * ORDERS };
const state = await during("read", () => graph.getState(config));
const isNew = state.values.messages === undefined;
// Not `state.next`: it is empty where a step's writes are kept and its checkpoint is not yet, whatever the checkpointer.
if (isNew || state.tasks.length > 0)
  await graph.invoke(isNew ? { messages: [new HumanMessage("charge all")] } : null, config);
await memory.put(["shop"], "done", { orders: ORDERS });
say({ acked: "memory done" });
await memory.stop();
await checkpointer.close();
await store.close();
