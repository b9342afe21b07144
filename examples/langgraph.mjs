// A LangGraph agent whose payments are made once, wherever it is killed. It needs `npm install @langchain/langgraph zod`.
//   node examples/langgraph.mjs
import { randomUUID } from "node:crypto";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { END, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { openStore } from "refloat";
import { once, RefloatSaver } from "refloat/langgraph";
import { z } from "zod";

const store = await openStore(); // $REFLOAT_HOME, else the state folder
const checkpointer = new RefloatSaver(store);

const pay = tool(
  once(checkpointer, { name: "pay" }, async ({ bill }) => {
    console.log(`pays bill ${bill}`);
    await sleep(500); // a bank takes its time
    appendFileSync(join(store.home, "payments"), `${bill}\n`);
    return `bill ${bill} is paid`;
  }),
  { name: "pay", description: "Pays a bill", schema: z.object({ bill: z.number() }) },
);

// Stands in for a model: pays three bills, one after the other; where a payment may have been made it says so and goes on.
function model({ messages }) {
  const asked = messages.filter((message) => message.tool_calls?.length > 0).length;
  const unsure = messages.filter(({ content }) => /may have happened/.test(content)).length;
  if (asked === 3) return { messages: [new AIMessage(`Done; of ${unsure} payments please look yourself.`)] };
  const call = { id: `call_${randomUUID()}`, name: "pay", args: { bill: asked + 1 }, type: "tool_call" };
  return { messages: [new AIMessage({ content: "", tool_calls: [call] })] };
}

const graph = new StateGraph(MessagesAnnotation)
  .addNode("model", model)
  .addNode("tools", new ToolNode([pay]))
  .addEdge(START, "model")
  .addConditionalEdges("model", ({ messages }) => (messages.at(-1).tool_calls?.length > 0 ? "tools" : END))
  .addEdge("tools", "model")
  .compile({ checkpointer });

const config = { configurable: { thread_id: "bills" }, durability: "sync" };
const { values, tasks } = await graph.getState(config); // not `next`: where a step was kept and its checkpoint was not, it is empty
const isNew = values.messages === undefined;
const isUnfinished = !isNew && tasks.length > 0;
if (isUnfinished) console.log(`goes on at ${tasks.map(({ name }) => name).join(", ")}`);
const input = isNew ? { messages: [new HumanMessage("Pay my bills.")] } : null;
const { messages } = isNew || isUnfinished ? await graph.invoke(input, config) : values;
console.log(`says: ${messages.at(-1).content}`);
await checkpointer.close();
await store.close();
