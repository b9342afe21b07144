import { RefloatSession } from "../../src/adapters/openai-agents.ts";
import { describeKills } from "./kills.ts";

describeKills({
  framework: "the OpenAI Agents SDK",
  script: "openai-agents-agent.mjs",
  read: async (store, lift) => {
    const session = new RefloatSession(store, { sessionId: "orders", lift });
    const items = await session.getItems();
    await session.close();
    return new Set(items.map((item) => JSON.stringify(item)));
  },
});
