import { uiChat } from "../../src/adapters/ai-sdk.ts";
import { describeKills } from "./kills.ts";

describeKills({
  framework: "the AI SDK",
  script: "ai-sdk-agent.mjs",
  read: async (store, lift) => {
    const chat = uiChat(store, { id: "orders", lift });
    const messages = await chat.messages();
    await chat.close();
    return new Set(messages.map((message) => JSON.stringify(message)));
  },
});
