// A workflow that asks somebody and is suspended, and its resumption by another process; and what our storage says that it does not do.
import { Mastra } from "@mastra/core/mastra";
import { createStep, createWorkflow } from "@mastra/core/workflows";
import { onceStep, RefloatMastra } from "refloat/mastra";
import { z } from "zod";
import { opened } from "./shop.mjs";

const store = await opened();
const storage = new RefloatMastra(store, { waitMs: 100 });
const domains = Object.keys(storage.stores).filter((name) => storage.stores[name]);
let asked = 0;
const first = createStep({
  id: "first",
  inputSchema: z.any(),
  outputSchema: z.any(),
  execute: onceStep(storage, { name: "first" }, () => {
    asked++;
    return { asked };
  }),
});
const ask = createStep({
  id: "ask",
  inputSchema: z.any(),
  outputSchema: z.any(),
  resumeSchema: z.object({ answer: z.string() }),
  execute: async ({ inputData, resumeData, suspend }) =>
    resumeData ? { ...inputData, ...resumeData } : suspend({}),
});
const workflow = createWorkflow({ id: "asking", inputSchema: z.any(), outputSchema: z.any() })
  .then(first)
  .then(ask)
  .commit();
const mastra = new Mastra({ storage, workflows: { asking: workflow }, logger: false });
const run = await mastra.getWorkflow("asking").createRun({ runId: "r" });
const code = (promise) =>
  promise.then(
    () => "nothing",
    (error) => error.code ?? error.message,
  );

async function resume() {
  const { status, result } = await run.resume({ step: "ask", resumeData: { answer: "yes" } });
  const { threads } = storage;
  const at = new Date(0);
  const thread = (id, title) => ({ thread: { id, resourceId: "r", title, createdAt: at, updatedAt: at } });
  const message = (id, threadId) => ({
    id,
    threadId,
    resourceId: "r",
    role: "user",
    createdAt: at,
    content: { format: 2, parts: [] },
  });
  await threads.saveThread(thread("t", "old"));
  await threads.saveMessages({ messages: [message("kept", "t")] });
  // Somebody else has the thread: what is refused leaves nothing, here or on disk.
  await storage.held.close();
  const other = new RefloatMastra(await opened());
  await other.threads.updateThread({ id: "t", title: "theirs" });
  const isHeld = await code(threads.saveMessages({ messages: [message("refused", "t")] }));
  const afterHeld = (await threads.listMessages({ threadId: "t" })).messages.map(({ id }) => id);
  // Deleted and begun anew by the other one: what was at hand here is not what is there.
  await other.threads.deleteThread({ threadId: "t" });
  const isThere = (await threads.getThreadById({ threadId: "t" })) !== null;
  await other.threads.saveThread(thread("t", "new"));
  const { title } = await threads.getThreadById({ threadId: "t" });
  await other.close();
  await other.held.store.close();
  return {
    status,
    result,
    domains,
    isThreadStateThere: (await storage.getStore("threadState")) !== undefined,
    refused: {
      noThread: await code(threads.saveMessages({ messages: [message("m")] })),
      retention: await code(threads.prune({ messages: { maxAge: "1d" } })),
      observational: /not implemented by this storage adapter/.exec(
        await code(threads.getObservationalMemory("t", "r")),
      )?.[0],
    },
    isHeld,
    afterHeld,
    isThereAfterDelete: [isThere, title],
  };
}

async function suspend() {
  const { status, suspended } = await run.start({ inputData: {} });
  return { status, suspended };
}

console.log(JSON.stringify(await (process.env.PART === "suspend" ? suspend() : resume())));
await storage.close();
await store.close();
