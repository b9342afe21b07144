/** Every adapter takes a signal: a write that waits for another process's claim is over when it is called off, and nothing is claimed. */
import { uuid6 } from "@langchain/langgraph-checkpoint";
import { expect, it, onTestFinished } from "vitest";
import { createResumableStreamContext, modelChat, uiChat } from "../../src/adapters/ai-sdk.ts";
import { RefloatTranscripts } from "../../src/adapters/claude-agent-sdk.ts";
import { RefloatMemory, RefloatSaver } from "../../src/adapters/langgraph.ts";
import { RefloatSession } from "../../src/adapters/openai-agents.ts";
import type { RefloatStore } from "../../src/app/store/open-store.ts";
import { describeOnBoth, openedHere } from "../support/both-stores.ts";

interface Waits {
  readonly signal: AbortSignal;
  readonly waitMs: number;
}
type Write = (
  store: RefloatStore,
  waits: Waits,
) => readonly [write: () => Promise<unknown>, close: () => Promise<void>];

/** By adapter: a session of its own as it names it, and a write to it. Mastra's hands over the same options (mastra.test.ts has its types). */
const WRITES: Readonly<Record<string, readonly [session: string, write: Write]>> = {
  RefloatSaver: [
    "langgraph:t",
    (store, waits) => {
      const saver = new RefloatSaver(store, waits);
      const config = { configurable: { thread_id: "t", checkpoint_ns: "", checkpoint_id: uuid6(0) } };
      return [() => saver.putWrites(config, [["n", 1]], "task"), () => saver.close()];
    },
  ],
  RefloatMemory: [
    "langgraph-store:shop",
    (store, waits) => {
      const memory = new RefloatMemory(store, waits);
      return [() => memory.put(["shop"], "k", { n: 1 }), () => memory.stop()];
    },
  ],
  uiChat: [
    "ai-sdk:c",
    (store, waits) => {
      const chat = uiChat(store, { id: "c", ...waits });
      return [() => chat.messages(), () => chat.close()];
    },
  ],
  modelChat: [
    "ai-sdk:c",
    (store, waits) => {
      const chat = modelChat(store, { id: "c", ...waits });
      return [() => chat.add({ role: "user", content: "hi" }), () => chat.close()];
    },
  ],
  createResumableStreamContext: [
    "ai-sdk-stream:c",
    (store, waits) => {
      const streams = createResumableStreamContext(store, waits);
      const make = () => new ReadableStream<string>({ start: (controller) => controller.close() });
      return [() => streams.createNewResumableStream("c", make), () => streams.close()];
    },
  ],
  RefloatSession: [
    "openai-agents:c",
    (store, waits) => {
      const session = new RefloatSession(store, { sessionId: "c", ...waits });
      return [() => session.getItems(), () => session.close()];
    },
  ],
  RefloatTranscripts: [
    "claude-agent-sdk:148de9c5a7a44d19:c",
    (store, waits) => {
      const transcripts = new RefloatTranscripts(store, waits);
      return [
        () => transcripts.append({ projectKey: "p", sessionId: "c" }, [{ type: "user" }]),
        () => transcripts.close(),
      ];
    },
  ],
};

describeOnBoth((make) => {
  it.each(Object.entries(WRITES))(
    "%s: a write that another process's claim holds up is over when it is called off, also where it was before it began",
    async (_, [id, write]) => {
      const place = make();
      const holding = await openedHere(place);
      const store = await openedHere(place);
      const holder = await holding.begin({ id, agent: "a", workspace: "w", captures: "off" });
      for (const isBefore of [false, true]) {
        const off = new AbortController();
        if (isBefore) off.abort(new Error("enough"));
        const [wait, close] = write(store, { signal: off.signal, waitMs: 600_000 });
        onTestFinished(close);
        const waiting = wait();
        if (!isBefore) setTimeout(() => off.abort(new Error("enough")), 30);
        await expect(waiting).rejects.toMatchObject({ code: "E_ABORTED", cause: { message: "enough" } });
      }
      await holder.finish(); // it is its own still
    },
  );
});
