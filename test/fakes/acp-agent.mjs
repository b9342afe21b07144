// An agent that speaks ACP by a script: what the prompt says, it does. Its history is in the file $ACP_HISTORY, a line an update.
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";

// One that outlives whoever it spoke to.
if (process.env.ACP_STAYS) setInterval(() => undefined, 60_000);
process.stdout.on("error", () => undefined);

const HISTORY = process.env.ACP_HISTORY;
const waiting = new Map();
let count = 0;
let begun = 0;

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const update = (sessionId, one) => {
  appendFileSync(HISTORY, `${JSON.stringify(one)}\n`);
  send({ method: "session/update", params: { sessionId, update: one } });
};
const ask = (method, params) =>
  new Promise((resolve) => {
    const id = `a${++count}`;
    waiting.set(id, resolve);
    send({ id, method, params });
  });
const say = (sessionId, text) =>
  update(sessionId, { sessionUpdate: "agent_message_chunk", content: { type: "text", text } });

async function edit(sessionId, name) {
  const entries = [
    { content: "write the note", priority: "high", status: "in_progress" },
    { content: "check it", priority: "low", status: "pending" },
  ];
  update(sessionId, { sessionUpdate: "plan", entries });
  say(sessionId, "I will ");
  say(sessionId, "write it.");
  const toolCallId = `call-${name}`;
  update(sessionId, {
    sessionUpdate: "tool_call",
    toolCallId,
    title: "Write a note",
    kind: "edit",
    status: "pending",
  });
  const path = `${process.cwd()}/${name}`;
  await ask("session/request_permission", {
    sessionId,
    toolCall: { toolCallId, rawInput: { file: name }, locations: [{ path }] },
    options: [{ optionId: "y", name: "Allow", kind: "allow_once" }],
  });
  update(sessionId, { sessionUpdate: "tool_call_update", toolCallId, status: "in_progress" });
  await ask("fs/write_text_file", { sessionId, path, content: `A note of ${name}.\n` });
  const content = [{ type: "content", content: { type: "text", text: "written" } }];
  update(sessionId, { sessionUpdate: "tool_call_update", toolCallId, status: "completed", content });
  say(sessionId, "Done.");
}

function hang(sessionId) {
  say(sessionId, "Now the slow one.");
  update(sessionId, {
    ...{
      sessionUpdate: "tool_call",
      toolCallId: "call-slow",
      title: "sleep",
      kind: "execute",
      status: "in_progress",
    },
    rawInput: { command: "sleep 1000" },
  });
  say(sessionId, "half of a sen");
  return new Promise(() => undefined);
}

const handlers = {
  initialize: () => ({ protocolVersion: 1, agentCapabilities: { loadSession: true } }),
  "session/new": () => ({ sessionId: `ses-${process.pid}${begun++ === 0 ? "" : `-${begun}`}` }),
  "session/load": ({ sessionId }) => {
    const lines = existsSync(HISTORY) ? readFileSync(HISTORY, "utf8").trim().split("\n") : [];
    for (const line of lines)
      send({ method: "session/update", params: { sessionId, update: JSON.parse(line) } });
    return {};
  },
  "session/prompt": async ({ sessionId, prompt }) => {
    const [, word, name] = /^(\w+) ?(\S*)/.exec(prompt[0].text);
    if (word === "edit") await edit(sessionId, name);
    if (word === "hang") await hang(sessionId);
    if (word === "die") process.kill(process.pid, "SIGKILL");
    return { stopReason: word === "refuse" ? "refusal" : "end_turn" };
  },
};

createInterface({ input: process.stdin }).on("line", async (line) => {
  const { id, method, params, result } = JSON.parse(line);
  if (method === undefined) {
    waiting.get(id)?.(result);
    return;
  }
  const handler = handlers[method];
  if (id === undefined) return;
  if (!handler) send({ id, error: { code: -32601, message: "no such method", data: params } });
  else send({ id, result: await handler(params) });
});
