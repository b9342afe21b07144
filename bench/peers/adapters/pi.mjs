// @ts-check
import { SessionManager } from "@earendil-works/pi-coding-agent";

/**
 * pi writes nothing before the first answer of the model, so every conversation begins with one: from there on
 * each message goes to the file.
 * @param {string} dir
 * @returns {Promise<import("../peers.mjs").Store>}
 */
export async function open(dir) {
  return {
    withConversation: async (depth, text, use) => {
      const session = SessionManager.create(dir, dir);
      session.appendMessage(answer());
      for (let held = 1; held < depth; held += 1) session.appendMessage(prompt(text()));
      await use(() => session.appendMessage(prompt(text())));
    },
    close: async () => undefined,
  };
}

/**
 * @param {string} text
 * @returns {import("@earendil-works/pi-ai").UserMessage}
 */
function prompt(text) {
  return { role: "user", content: [{ type: "text", text }], timestamp: Date.now() };
}

/** @returns {import("@earendil-works/pi-ai").AssistantMessage} */
function answer() {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  return {
    role: "assistant",
    content: [{ type: "text", text: "ready" }],
    api: "anthropic-messages",
    provider: "bench",
    model: "none",
    usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost },
    stopReason: "stop",
    timestamp: Date.now(),
  };
}
