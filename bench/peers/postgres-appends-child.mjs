// @ts-check
/**
 * One of the processes of postgres-appends.mjs: saves messages of 1 KiB into a conversation of its own, one after the other, through the API of
 * whoever it is, from the parent's "go" until its time is over. The conversation holds ten messages before.
 */
import { randomBytes } from "node:crypto";

const [who = "", url = "", runMs = "", dist = ""] = process.argv.slice(2);
const DEPTH = 10;
const text = () => randomBytes(768).toString("base64");

/** @type {Record<string, (measure: (append: () => Promise<unknown>) => Promise<void>) => Promise<void>>} */
const WAYS = {
  refloat: async (measure) => {
    const { openStore } = await import(dist);
    const store = await openStore(`${url}?schema=bench`, { thread: false });
    const session = await store.begin({ agent: "bench", workspace: "/" });
    const turn = await session.turn("go");
    const append = () => turn.append({ role: "assistant", parts: text() });
    for (let held = 0; held < DEPTH; held++) await append();
    await measure(append);
    await store.close();
  },
  dbos: async (measure) => {
    // Each process is an executor of its own: else each would take up, at its start, the workflows of the others as left by itself.
    process.env.DBOS__VMID = `bench-${process.pid}`;
    const { DBOS } = await import("@dbos-inc/dbos-sdk");
    const conversation = DBOS.registerWorkflow(
      async () => {
        const append = () => DBOS.runStep(async () => text(), { name: "message" });
        for (let held = 0; held < DEPTH; held++) await append();
        await measure(append);
      },
      { name: "conversation" },
    );
    DBOS.setConfig({
      ...{ name: "bench", systemDatabaseUrl: url, logLevel: "error" },
      executorID: `bench-${process.pid}`,
    });
    await DBOS.launch();
    await (await DBOS.startWorkflow(conversation)()).getResult();
    await DBOS.shutdown();
  },
  langgraph: async (measure) => {
    const { PostgresSaver } = await import("@langchain/langgraph-checkpoint-postgres");
    const { emptyCheckpoint, uuid6 } = await import("@langchain/langgraph-checkpoint");
    const { HumanMessage } = await import("@langchain/core/messages");
    const saver = PostgresSaver.fromConnString(url);
    await saver.setup();
    // As the graph runtime calls it at the end of a step: the task's writes, then the state, at the same depth each time.
    const held = Array.from({ length: DEPTH }, () => new HumanMessage(text()));
    let step = 0;
    /** @param {any} parent @param {any[]} messages */
    const put = (parent, messages) => {
      step += 1;
      const state = {
        ...emptyCheckpoint(),
        id: uuid6(step),
        channel_values: { messages },
        channel_versions: { messages: step },
      };
      return saver.put(parent, state, { source: "loop", step, parents: {} }, { messages: step });
    };
    let config = await put({ configurable: { thread_id: `thread-${process.pid}`, checkpoint_ns: "" } }, held);
    await measure(async () => {
      const message = new HumanMessage(text());
      await saver.putWrites(config, [["messages", message]], `task-${step}`);
      config = await put(config, [...held, message]);
    });
    await saver.end();
  },
};

const way = WAYS[who];
if (!way) throw new Error(`nobody is called ${who}`);
await way(async (append) => {
  process.send?.("ready");
  await new Promise((resolve) => process.once("message", resolve));
  let appends = 0;
  const untilMs = performance.now() + Number(runMs);
  while (performance.now() < untilMs) {
    await append();
    appends += 1;
  }
  process.send?.({ appends });
});
process.disconnect?.();
