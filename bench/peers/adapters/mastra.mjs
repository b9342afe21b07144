// @ts-check
import { registerHooks } from "node:module";
import { join } from "node:path";

const RESOURCE = "bench";

/**
 * @param {string} dir
 * @param {Record<string, string>} options
 * @returns {Promise<import("../peers.mjs").Store>}
 */
export async function open(dir, options) {
  const { store, close } = options.storage === "refloat" ? await refloatStorage(dir) : await libSqlStore(dir);
  const memory = await store.getStore("memory");
  if (memory === undefined) throw new Error("this storage has no memory domain");
  let conversations = 0;
  return {
    withConversation: async (depth, text, use) => {
      conversations += 1;
      const threadId = `thread-${process.pid}-${conversations}`;
      const now = new Date();
      await memory.saveThread({
        thread: {
          id: threadId,
          resourceId: RESOURCE,
          title: "bench",
          metadata: {},
          createdAt: now,
          updatedAt: now,
        },
      });
      let saved = 0;
      await memory.saveMessages({ messages: Array.from({ length: depth }, next) });
      await use(() => memory.saveMessages({ messages: [next()] }));

      /** @returns {import("@mastra/core/agent").MastraDBMessage} */
      function next() {
        saved += 1;
        return {
          id: `${threadId}-${saved}`,
          threadId,
          resourceId: RESOURCE,
          role: "user",
          createdAt: new Date(),
          content: { format: 2, parts: [{ type: "text", text: text() }] },
        };
      }
    },
    reader: async (depth, text) => {
      const threadId = `thread-${process.pid}-read-${depth}`;
      const at = new Date();
      const thread = { id: threadId, resourceId: RESOURCE, title: "bench", metadata: {} };
      await memory.saveThread({ thread: { ...thread, createdAt: at, updatedAt: at } });
      const of = (/** @type {number} */ n) =>
        /** @type {import("@mastra/core/agent").MastraDBMessage} */ ({
          ...{ id: `${threadId}-${n}`, threadId, resourceId: RESOURCE, role: "user" },
          createdAt: new Date(at.getTime() + n),
          content: { format: 2, parts: [{ type: "text", text: text() }] },
        });
      await memory.saveMessages({ messages: Array.from({ length: depth }, (_, n) => of(n)) });
      return async () => {
        const { messages } = await memory.listMessages({ threadId, perPage: false });
        if (messages.length !== depth) throw new Error("the conversation came back shorter");
      };
    },
    close,
  };
}

/** @param {string} dir */
async function libSqlStore(dir) {
  const { LibSQLStore } = await import("@mastra/libsql");
  const store = new LibSQLStore({ id: "bench", url: `file:${join(dir, "mastra.db")}` });
  await store.init();
  return { store, close: () => store.close() };
}

/**
 * Ours through the same calls, as it is shipped: durable, SQLite on its worker thread. Its code asks for Mastra from where it lies, where none is installed: it gets
 * the one beside LibSQLStore.
 * @param {string} dir
 */
async function refloatStorage(dir) {
  registerHooks({
    resolve: (name, context, next) =>
      next(name, name.startsWith("@mastra/") ? { ...context, parentURL: import.meta.url } : context),
  });
  const { openStore } = await import("../../../dist/index.js");
  const { RefloatMastra } = await import("../../../dist/adapters/mastra.js");
  const opened = await openStore(join(dir, "refloat.db"));
  const store = new RefloatMastra(opened);
  const close = async () => {
    await store.close();
    await opened.close();
  };
  return { store, close };
}
