import { RefloatMemory, RefloatSaver } from "../../src/adapters/langgraph.ts";
import { describeKills } from "./kills.ts";

describeKills({
  framework: "LangGraph",
  script: "langgraph-agent.mjs",
  read: async (store) => {
    const saver = new RefloatSaver(store);
    const there = new Set<string>();
    for await (const { checkpoint } of saver.list({ configurable: { thread_id: "orders" } })) {
      const messages = (checkpoint.channel_values.messages ?? []) as { readonly content: string }[];
      there.add(`${checkpoint.id} ${messages.map(({ content }) => content).join("|")}`);
    }
    if (await new RefloatMemory(store).get(["shop"], "done")) there.add("memory done");
    return there;
  },
});
