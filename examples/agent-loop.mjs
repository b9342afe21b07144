// An agent loop on refloat. Kill it anywhere and start it again: it goes on where it was.
//   node examples/agent-loop.mjs [SESSION-ID]
import { setTimeout as sleep } from "node:timers/promises";
import { openStore } from "refloat";

const TASK = "Make the login test pass, then deploy.";
const PLAN = [
  { tool: "read_file", input: { path: "src/login.ts" } },
  { tool: "bash", input: { command: "npm test" } },
  { tool: "deploy", input: { target: "staging" } },
];

// Stands in for a model: takes the conversation as a provider would, answers with a call or with text.
function model({ messages }) {
  const blocks = messages.flatMap(({ content }) => content);
  const [last] = blocks.filter(({ type }) => type === "tool_result").slice(-1);
  const asks = blocks.filter(({ type, name }) => type === "tool_use" && name !== "deploy_status").length;
  const isUnknown = /outcome unknown/i.test(last?.content[0]?.text); // it may have happened: look first
  if (isUnknown) return { call: { tool: "deploy_status", input: {} } };
  return asks < PLAN.length ? { call: PLAN[asks] } : { text: "The tests pass and staging is deployed." };
}

// Stand in for tools.
const run = (tool) => sleep(tool === "deploy" ? 1000 : 50, `${tool}: ok`);

const store = await openStore(); // $REFLOAT_HOME, else the state folder
const id = process.argv[2] ?? "agent-loop";
const session = await store.begin({ id, agent: "agent-loop", workspace: process.cwd(), goal: TASK });
if (session.recovered) console.log(`goes on as try ${session.attempt}; open were`, session.recovered.calls);
const turn = session.attempt === 1 ? await session.turn(TASK) : await session.continueTurn();

for (;;) {
  const answer = model(session.export("anthropic")); // valid for the provider, whatever happened before
  if (answer.text) {
    const message = turn.message("assistant");
    for (const word of answer.text.split(/(?<= )/)) message.write(word); // flushed to disk as it streams
    await message.end();
    console.log(`says: ${answer.text}`);
    break;
  }
  const call = await turn.call(answer.call); // on disk before the tool runs
  console.log(`calls ${call.tool}`);
  await run(call.tool).then(
    (output) => call.result(output),
    (error) => call.failed(error),
  );
}
await turn.end("completed");
await session.finish();
await store.close();
