// @ts-check
import { join } from "node:path";
import { HumanMessage } from "@langchain/core/messages";
import { emptyCheckpoint, uuid6 } from "@langchain/langgraph-checkpoint";

/**
 * The saver is called as the graph runtime calls it at the end of a step: the task's writes, then the state.
 * Every append saves the state at the same depth, so a growing conversation does not blur the figure; earlier
 * steps are not written, which spares the peer the O(n²) of disk it would really have used by then.
 * @param {string} dir
 * @param {Record<string, string>} options
 * @returns {Promise<import("../peers.mjs").Store>}
 */
export async function open(dir, options) {
  const { saver, close } = await SAVERS[/** @type {keyof typeof SAVERS} */ (options.saver ?? "sqlite")](
    dir,
    options,
  );
  let conversations = 0;
  return {
    withConversation: async (depth, text, use) => {
      conversations += 1;
      const thread = `thread-${process.pid}-${conversations}`;
      const held = Array.from({ length: depth }, () => new HumanMessage(text()));
      let step = 0;
      let config = await put({ configurable: { thread_id: thread, checkpoint_ns: "" } }, held);
      await use(async () => {
        const message = new HumanMessage(text());
        await saver.putWrites(config, [["messages", message]], `task-${step}`);
        config = await put(config, [...held, message]);
      });

      /**
       * @param {import("@langchain/core/runnables").RunnableConfig} parent
       * @param {HumanMessage[]} messages
       */
      function put(parent, messages) {
        step += 1;
        const state = {
          ...emptyCheckpoint(),
          id: uuid6(step),
          channel_values: { messages },
          channel_versions: { messages: step },
        };
        return saver.put(parent, state, { source: "loop", step, parents: {} }, { messages: step });
      }
    },
    reader: async (depth, text) => {
      const thread = `thread-${process.pid}-read-${depth}`;
      const messages = Array.from({ length: depth }, () => new HumanMessage(text()));
      const channels = { channel_values: { messages }, channel_versions: { messages: 1 } };
      const config = { configurable: { thread_id: thread, checkpoint_ns: "" } };
      const metadata = /** @type {const} */ ({ source: "loop", step: 1, parents: {} });
      await saver.put(config, { ...emptyCheckpoint(), id: uuid6(1), ...channels }, metadata, { messages: 1 });
      return async () => {
        const found = await saver.getTuple(config);
        const held = /** @type {unknown[] | undefined} */ (found?.checkpoint.channel_values.messages);
        if (held?.length !== depth) throw new Error("the conversation came back shorter");
      };
    },
    close,
  };
}

/**
 * @param {string} dir
 * @param {Record<string, string>} options
 */
async function sqliteSaver(dir, options) {
  const { SqliteSaver } = await import("@langchain/langgraph-checkpoint-sqlite");
  const path = join(dir, "langgraph.sqlite");
  if (options.synchronous === undefined) {
    const saver = SqliteSaver.fromConnString(path);
    return { saver, close: async () => void saver.db.close() };
  }
  // @ts-expect-error: the package ships no types
  const { default: Database } = await import("better-sqlite3");
  const db = new Database(path);
  db.pragma("journal_mode=WAL");
  db.pragma("synchronous=FULL");
  return { saver: new SqliteSaver(db), close: async () => void db.close() };
}

const { BENCH_POSTGRES = "", BENCH_SCHEMA = "" } = process.env;

async function postgresSaver() {
  const { PostgresSaver } = await import("@langchain/langgraph-checkpoint-postgres");
  const saver = PostgresSaver.fromConnString(BENCH_POSTGRES, { schema: BENCH_SCHEMA });
  await saver.setup();
  return { saver, close: () => saver.end() };
}

/**
 * Ours through the same calls, as it is shipped: durable, SQLite on its worker thread.
 * @param {string} url @param {{ schema?: string }} [options]
 */
async function refloatSaver(url, options = {}) {
  const { openStore } = await import("../../../dist/index.js");
  const { RefloatSaver } = await import("../../../dist/adapters/langgraph.js");
  const store = await openStore(url, options);
  const saver = new RefloatSaver(store);
  const close = async () => {
    await saver.close();
    await store.close();
  };
  return { saver, close };
}

const SAVERS = {
  sqlite: sqliteSaver,
  postgres: postgresSaver,
  refloat: (/** @type {string} */ dir) => refloatSaver(join(dir, "refloat.db")),
  "refloat-postgres": () => refloatSaver(BENCH_POSTGRES, { schema: BENCH_SCHEMA }),
};
