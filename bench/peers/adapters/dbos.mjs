// @ts-check
import { DBOS } from "@dbos-inc/dbos-sdk";
import { startPostgres } from "../postgres.mjs";

/** Steps in flight while a conversation is filled to its depth; the measured ones run one at a time. */
const FILL_WIDTH = 16;

/** @type {Map<string, () => Promise<void>>} */
const bodies = new Map();

// A workflow is registered once per process, before launch; what it does is looked up by its argument.
const conversation = DBOS.registerWorkflow(
  async (/** @type {string} */ key) => {
    await bodies.get(key)?.();
  },
  { name: "conversation" },
);

/**
 * One workflow is one conversation and one step one message: the step's return value is what DBOS makes durable.
 * The whole measurement runs inside the workflow, so no queue stands between it and runStep.
 * @param {string} dir
 * @returns {Promise<import("../peers.mjs").Store>}
 */
export async function open(dir) {
  const server = await startPostgres(dir);
  DBOS.setConfig({ name: "bench", systemDatabaseUrl: server.url("bench"), logLevel: "error" });
  await DBOS.launch();
  let conversations = 0;
  return {
    withConversation: async (depth, text, use) => {
      conversations += 1;
      const key = `conversation-${process.pid}-${performance.timeOrigin}-${conversations}`;
      const append = () => DBOS.runStep(async () => text(), { name: "message" });
      bodies.set(key, async () => {
        for (let held = 0; held < depth; held += FILL_WIDTH) {
          await Promise.all(Array.from({ length: Math.min(FILL_WIDTH, depth - held) }, append));
        }
        await use(append);
      });
      const handle = await DBOS.startWorkflow(conversation)(key);
      await handle.getResult();
      bodies.delete(key);
    },
    close: async () => {
      await DBOS.shutdown();
      await server.stop();
    },
  };
}
