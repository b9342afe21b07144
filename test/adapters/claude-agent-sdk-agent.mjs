// One life of a program that uses the Claude Agent SDK with our session store. It says what was acknowledged, a line of JSON each.
import { RefloatTranscripts } from "refloat/claude-agent-sdk";
import { opened, say } from "./shop.mjs";

const { SDK, CLAUDE, REPO, PROMPT, SESSION, IS_RESUMED } = process.env;
const { query } = await import(SDK);

class SayingTranscripts extends RefloatTranscripts {
  async append(key, entries) {
    await super.append(key, entries);
    for (const entry of entries) say({ key, acked: JSON.stringify(entry) });
  }
}

const store = await opened();
const sessionStore = new SayingTranscripts(store);
const options = {
  sessionStore,
  sessionStoreFlush: "eager",
  ...(IS_RESUMED ? { resume: SESSION } : { sessionId: SESSION }),
  pathToClaudeCodeExecutable: CLAUDE,
  cwd: REPO,
  model: "claude-sonnet-4-5",
  permissionMode: "acceptEdits",
  allowedTools: ["Bash", "Write", "Edit", "Read"],
};
for await (const message of query({ prompt: PROMPT, options }))
  if (message.type === "result") say({ result: message.subtype, text: message.result ?? "" });
  else if (message.subtype === "mirror_error") say({ mirrorError: JSON.stringify(message) });
await sessionStore.close();
await store.close();
