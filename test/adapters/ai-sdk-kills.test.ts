import { uiChat } from "../../src/adapters/ai-sdk.ts";
import { describeKills } from "./kills.ts";

describeKills({
  framework: "the AI SDK",
  script: "ai-sdk-agent.mjs",
  read: async (store) => {
    const chat = uiChat(store, { id: "orders" });
    const messages = await chat.messages();
    await chat.close();
    return new Set(messages.map((message) => JSON.stringify(message)));
  },
});
