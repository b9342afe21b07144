// An agent of the Claude Agent SDK whose conversation is in refloat's store: kill it anywhere and start it again, on a machine that has none of
// its files if you like, and it goes on. It needs `npm install @anthropic-ai/claude-agent-sdk` and an API key (or a model of yours: ANTHROPIC_BASE_URL).
//   node examples/claude-agent-sdk.mjs "Write a README for this folder."
import { query } from "@anthropic-ai/claude-agent-sdk";
import { openStore } from "refloat";
import { RefloatTranscripts } from "refloat/claude-agent-sdk";

const [prompt = "What is in this folder?"] = process.argv.slice(2);
const store = await openStore(); // $REFLOAT_HOME, else the state folder
const sessionStore = new RefloatTranscripts(store);
const sessionId = "3f1c2b6e-5d0a-4a57-9c1e-7a2f9b0c4d11"; // one conversation; a user's or a task's of yours
const projectKey = process.cwd().replace(/[^a-zA-Z0-9]/g, "-"); // the SDK's own name for a folder
const wasBegun = (await sessionStore.load({ projectKey, sessionId })) !== null;
console.log(wasBegun ? "goes on" : "begins");

const options = {
  sessionStore,
  sessionStoreFlush: "eager", // an entry is in the store as soon as the SDK knows of it
  ...(wasBegun ? { resume: sessionId } : { sessionId }),
  permissionMode: "acceptEdits",
  allowedTools: ["Bash"],
  ...(process.env.CLAUDE ? { pathToClaudeCodeExecutable: process.env.CLAUDE } : {}),
};
for await (const message of query({ prompt: wasBegun ? "Go on." : prompt, options })) {
  if (message.type === "assistant")
    for (const part of message.message.content)
      if (part.type === "tool_use") console.log(`uses ${part.name}`);
  if (message.type === "result") console.log(`says: ${message.result}`);
}
await sessionStore.close();
await store.close();
