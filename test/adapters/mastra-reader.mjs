// What Mastra's own reads give of a store, as a set of what an agent of these tests acknowledges: for each line of orders a line of JSON.
import { createInterface } from "node:readline";
import { openStore } from "refloat";
import { RefloatMastra } from "refloat/mastra";

for await (const line of createInterface({ input: process.stdin })) {
  const { url, open, lift } = JSON.parse(line);
  const store = await openStore(url, { thread: false, ...open });
  const storage = new RefloatMastra(store, { lift });
  const memory = await storage.getStore("memory");
  const workflows = await storage.getStore("workflows");
  const { messages } = await memory.listMessages({ threadId: "orders", perPage: false });
  const run = await workflows.loadWorkflowSnapshot({ workflowName: "charging", runId: "orders" });
  const succeeded = Object.entries(run?.context ?? {}).filter(([, { status }]) => status === "success");
  console.log(
    JSON.stringify([
      ...messages.map(({ id, role, content }) => JSON.stringify({ id, role, content })),
      ...succeeded.map(([step]) => `${step} succeeded`),
    ]),
  );
  await storage.close();
  await store.close();
}
