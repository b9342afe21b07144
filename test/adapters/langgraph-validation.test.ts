/** LangGraph's own published suite for checkpointers, whole, against ours on both stores. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { RefloatSaver } from "../../src/adapters/langgraph.ts";
import { openStore, type RefloatStore } from "../../src/app/store/open-store.ts";
import { freshSchema } from "../support/postgres.ts";

// The suite is written for globals; ours are imported.
Object.assign(globalThis, { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it });
const { deltaChannelHistoryTests, validate } = await import("@langchain/langgraph-checkpoint-validation");

const suite: typeof validate = (initializer) => {
  validate(initializer);
  describe(initializer.checkpointerName, () => deltaChannelHistoryTests(initializer));
};

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "refloat-langgraph-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const PLACES = {
  SQLite: () => ({ url: join(folder, "refloat.db"), open: {} }),
  PostgreSQL: () => {
    const { url, schema } = freshSchema();
    return { url, open: { schema } };
  },
};

for (const [name, place] of Object.entries(PLACES)) {
  // One store for all of the suite; each checkpointer has threads of its own in it.
  let store: RefloatStore | null = null;
  let made = 0;
  suite<RefloatSaver>({
    checkpointerName: `refloat on ${name}`,
    createCheckpointer: async () => {
      const { url, open } = place();
      store ??= await openStore(url, { thread: false, ...open });
      return new RefloatSaver(store, { prefix: `suite-${++made}` });
    },
    destroyCheckpointer: (saver) => saver.close(),
    afterAll: () => store?.close(),
  });
}
