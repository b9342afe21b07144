// An agent of Mastra's that charges two orders a run, then a workflow that charges as many; killed anywhere, started again.
import { randomUUID } from "node:crypto";
import { Agent } from "@mastra/core/agent";
import { Mastra } from "@mastra/core/mastra";
import { createTool } from "@mastra/core/tools";
import { createStep, createWorkflow } from "@mastra/core/workflows";
import { Memory } from "@mastra/memory";
import { once, onceStep, RefloatMastra } from "refloat/mastra";
import { z } from "zod";
import { charge, during, lift, ORDERS, opened, say, toldOf } from "./shop.mjs";

const BY_AGENT = ORDERS / 2;
const RUN = "orders";
const memoryOf = { thread: "orders", resource: "shop" };

const store = await opened();
const storage = new RefloatMastra(store, { lift });

/** What is acknowledged is said, in words that a later read can give again. */
const { threads, runs } = storage;
const saveMessages = threads.saveMessages.bind(threads);
threads.saveMessages = async (asked) => {
  const saved = await during("save", () => saveMessages(asked));
  for (const { id, role, content } of asked.messages) say({ acked: JSON.stringify({ id, role, content }) });
  return saved;
};
const persist = runs.persistWorkflowSnapshot.bind(runs);
runs.persistWorkflowSnapshot = async (asked) => {
  await during("save", () => persist(asked));
  if (asked.workflowName !== "charging") return;
  for (const [step, { status }] of Object.entries(asked.snapshot.context))
    if (status === "success") say({ acked: `${step} succeeded` });
};

const callsOf = (messages) =>
  messages
    .flatMap(({ content }) => content.parts ?? content)
    .flatMap((part) => part.toolInvocation ?? (part.type === "tool-call" ? part : []));

/** What a conversation says of the charges, to the model and to whoever reads it. */
function tell(messages) {
  for (const message of messages)
    for (const part of Array.isArray(message.content) ? message.content : []) {
      if (part.type !== "tool-result") continue;
      const call = callsOf(messages).find(({ toolCallId }) => toolCallId === part.toolCallId);
      say(toldOf(argsOf(call).order, JSON.stringify(part.output)));
    }
}
const argsOf = ({ input, args }) => {
  const asked = input ?? args;
  return typeof asked === "string" ? JSON.parse(asked) : asked;
};

// Stands in for a model: charges the next two orders that nothing was said of yet.
const model = {
  specificationVersion: "v2",
  provider: "scripted",
  modelId: "scripted",
  supportedUrls: {},
  doGenerate: async ({ prompt }) => ({ ...answer(prompt), warnings: [] }),
  doStream: async ({ prompt }) => {
    const { content, finishReason, usage } = answer(prompt);
    const [part] = content;
    const parts =
      part.type === "text"
        ? [
            { type: "text-start", id: "1" },
            { type: "text-delta", id: "1", delta: part.text },
            { type: "text-end", id: "1" },
          ]
        : [part];
    const all = [{ type: "stream-start", warnings: [] }, ...parts, { type: "finish", finishReason, usage }];
    return { stream: ReadableStream.from(all) };
  },
};

function answer(prompt) {
  tell(prompt);
  const asked = new Set(callsOf(prompt).map((call) => argsOf(call).order));
  const since = callsOf(prompt.slice(prompt.findLastIndex(({ role }) => role === "user"))).length;
  const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
  if (since === 2 || asked.size >= BY_AGENT)
    return { content: [{ type: "text", text: "charged two" }], finishReason: "stop", usage };
  const input = JSON.stringify({ order: asked.size + 1 });
  const call = { type: "tool-call", toolCallId: `call_${randomUUID()}`, toolName: "charge", input };
  return { content: [call], finishReason: "tool-calls", usage };
}

const agent = new Agent({
  id: "shop",
  name: "shop",
  instructions: "You charge orders.",
  model,
  memory: new Memory({ storage, options: { lastMessages: 200 } }),
  tools: {
    charge: createTool({
      id: "charge",
      description: "charges an order",
      inputSchema: z.object({ order: z.number() }),
      execute: once(storage, { name: "charge" }, ({ order }) => charge(order)),
    }),
  },
});

/** A step whose charge may have happened says so, and the run goes on. */
const stepOf = (order) => {
  const guarded = onceStep(storage, { name: `charge-${order}` }, () => charge(order));
  return createStep({
    id: `charge-${order}`,
    inputSchema: z.any(),
    outputSchema: z.any(),
    execute: async (context) => {
      const text = await guarded(context).catch((error) => error.message);
      say(toldOf(order, text));
      return text;
    },
  });
};
const workflow = createWorkflow({ id: "charging", inputSchema: z.any(), outputSchema: z.any() });
for (let order = BY_AGENT + 1; order <= ORDERS; order++) workflow.then(stepOf(order));
workflow.commit();

const mastra = new Mastra({
  storage,
  agents: { shop: agent },
  workflows: { charging: workflow },
  logger: false,
});

const recalled = async () =>
  (await during("read", () => threads.listMessages({ threadId: "orders", perPage: false }))).messages;
const chargedSoFar = async () => new Set(callsOf(await recalled()).map((call) => argsOf(call).order)).size;
while ((await chargedSoFar()) < BY_AGENT)
  await mastra.getAgent("shop").generate("charge two more", { memory: memoryOf, maxSteps: 5 });
// The last charge may be told by the thread alone: nothing is left to ask the model for.
for (const { toolInvocation } of (await recalled()).flatMap(({ content }) => content.parts))
  if (toolInvocation) say(toldOf(toolInvocation.args.order, JSON.stringify(toolInvocation.result ?? "")));

const known = await runs.loadWorkflowSnapshot({ workflowName: "charging", runId: RUN });
const run = await mastra.getWorkflow("charging").createRun({ runId: RUN });
if (known?.status !== "success") {
  const isBegun = known !== null && known.status !== "pending";
  const ended = isBegun ? await run.restart() : await run.start({ inputData: {} });
  if (ended.status !== "success") throw new Error(`the run ended as ${JSON.stringify(ended)}`);
}
const ended = await runs.loadWorkflowSnapshot({ workflowName: "charging", runId: RUN });
for (let order = BY_AGENT + 1; order <= ORDERS; order++)
  say(toldOf(order, String(ended.context[`charge-${order}`].output)));
await storage.close();
await store.close();
