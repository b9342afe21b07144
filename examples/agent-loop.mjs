// An agent loop on refloat. Kill it anywhere and start it again: it goes on where it was. Ctrl-C stops it, and so does
// `refloat stop agent-loop` from elsewhere.
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
  const calls = blocks.filter(({ type, name }) => type === "tool_use" && name !== "deploy_status");
  const step = PLAN.findIndex(({ tool }) => tool === calls.at(-1)?.name);
  const isUnknown = /outcome unknown/i.test(last?.content[0]?.text);
  if (isUnknown && PLAN[step].tool === "deploy") return { call: { tool: "deploy_status", input: {} } }; // look first
  const next = PLAN[isUnknown ? step : step + 1]; // reading and testing again does no harm
  return next ? { call: next } : { text: "The tests pass and staging is deployed." };
}

// Stand in for tools.
const run = (tool, signal) => sleep(tool === "deploy" ? 1000 : 50, `${tool}: ok`, { signal });

const stop = new AbortController();
process.once("SIGINT", () => stop.abort("Ctrl-C"));

const store = await openStore(); // $REFLOAT_HOME, else the state folder
const id = process.argv[2] ?? "agent-loop";
const onStop = (reason) => stop.abort(reason);
const session = await store.begin({ id, agent: "agent-loop", workspace: process.cwd(), goal: TASK, onStop });
if (session.recovered) console.log(`goes on as try ${session.attempt}; open were`, session.recovered.calls);

// What there is to do is asked of the journal, never of the attempt: whoever was killed before the turn began comes back as
// a later attempt, and the task still waits. The same id again is the same input: it is asked once, however often we begin.
await session.enqueue(TASK, { id: "task" });
const [task] = await session.queue();
const last = session.view("people").items.at(-1);
const isAnswered = !task && last?.role === "assistant" && last.state === "final";
if (!isAnswered) await answer(task ? await session.turn(task) : await session.continueTurn());
if (!stop.signal.aborted) console.log(`says: ${session.view("people").items.at(-1).parts[0].text}`);
await session.finish();
await store.close();

async function answer(turn) {
  while (!stop.signal.aborted) {
    const { call: wanted, text } = model(session.export("anthropic")); // valid for the provider, whatever happened before
    if (text) {
      const message = turn.message("assistant");
      for (const word of text.split(/(?<= )/)) message.write(word); // flushed to disk as it streams
      await message.end();
      return turn.end("completed");
    }
    const call = await turn.call(wanted); // on disk before the tool runs
    console.log(`calls ${call.tool}`);
    const { output, error } = await run(call.tool, stop.signal).then(
      (output) => ({ output }),
      (error) => ({ error }),
    );
    if (stop.signal.aborted) break; // nobody knows how far the tool came: `session.stop` says so
    await (error ? call.failed(error) : call.result(output));
  }
  await session.stop(stop.signal.reason);
  console.log("stopped");
}
