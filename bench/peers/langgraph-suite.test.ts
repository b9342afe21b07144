/**
 * LangGraph's own published suite for checkpointers, whole, against its own savers and ours, each on both stores: run by langgraph-suite.mjs, on the Node that
 * the peers need. What fails is counted there, so nothing here is skipped or excused.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { RefloatSaver } from "../../dist/adapters/langgraph.js";
import { openStore } from "../../dist/index.js";
import { freshSchema } from "../../test/support/postgres.ts";

Object.assign(globalThis, { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it });
const { deltaChannelHistoryTests, validate } = await import("@langchain/langgraph-checkpoint-validation");
const peers = createRequire(import.meta.url);
const { SqliteSaver } = peers("@langchain/langgraph-checkpoint-sqlite");
const { PostgresSaver } = peers("@langchain/langgraph-checkpoint-postgres");

const folder = mkdtempSync(join(tmpdir(), "refloat-suite-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let made = 0;

type Store = Awaited<ReturnType<typeof openStore>>;

/** One store for all of the suite; each checkpointer has threads of its own in it. */
function ours(open: () => Promise<Store>) {
  let store: Promise<Store> | null = null;
  return {
    createCheckpointer: async () => {
      store ??= open();
      return new RefloatSaver(await store, { prefix: `suite-${++made}` });
    },
    destroyCheckpointer: (saver: RefloatSaver) => saver.close(),
    afterAll: async () => void (await (await store)?.close()),
  };
}

const CHECKPOINTERS = {
  "LangGraph's SqliteSaver": {
    createCheckpointer: async () => SqliteSaver.fromConnString(join(folder, `own-${++made}.db`)),
    destroyCheckpointer: async (saver: { db: { close(): void } }) => saver.db.close(),
  },
  "RefloatSaver on SQLite": ours(() => openStore(join(folder, "refloat.db"), { thread: false })),
  "LangGraph's PostgresSaver": {
    createCheckpointer: async () => {
      const { url, schema } = freshSchema();
      const saver = PostgresSaver.fromConnString(url, { schema });
      await saver.setup();
      return saver;
    },
    destroyCheckpointer: async (saver: { end(): Promise<void> }) => saver.end(),
  },
  "RefloatSaver on PostgreSQL": ours(() => {
    const { url, schema } = freshSchema();
    return openStore(url, { thread: false, schema });
  }),
};

for (const [checkpointerName, made] of Object.entries(CHECKPOINTERS)) {
  const initializer = { checkpointerName, ...made } as unknown as Parameters<typeof validate>[0];
  describe(checkpointerName, () => {
    validate(initializer);
    deltaChannelHistoryTests(initializer);
  });
}
