/**
 * The agent the demo kills: a scripted session on the real library. After each step it was promised is on disk
 * it prints one line, `{"kept": ...}`: the demo holds the store to every one of them. It never ends by itself.
 */
import { openStore } from "../../../app/store/open-store.ts";
import { systemClock } from "../../../platform/clock.ts";
import { DEMO } from "./script.ts";

const [store = "", workspace = ""] = process.argv.slice(2);

const kept = (what: string, value: unknown): void => {
  process.stdout.write(`${JSON.stringify({ kept: what, value })}\n`);
};

/** Modules that wait cannot be put together as few files (scripts/bundle.mjs). */
void play();

async function play(): Promise<never> {
  const { begin } = await openStore(store);
  const session = await begin({ id: DEMO.session, agent: DEMO.agent, workspace, goal: DEMO.goal });
  kept("attempt", session.attempt);

  const turn = await session.turn(DEMO.goal);
  kept("turn", turn.id);

  const answer = turn.message("assistant");
  for (const word of DEMO.answer.split(/(?<= )/)) answer.write(word);
  await answer.end();
  kept("answer", DEMO.answer);

  for (const { tool, input, output } of DEMO.calls) {
    const call = await turn.call({ tool, input });
    kept("call", call.id);
    await call.result(output);
    kept("result", call.id);
  }

  const receipt = await session.enqueue(DEMO.queued, { from: "chat" });
  kept("input", receipt.id);

  const deploy = await turn.call({ tool: DEMO.deploy.tool, input: DEMO.deploy.input });
  kept("call", deploy.id);

  const progress = turn.message("assistant");
  let written = "";
  for (let step = 1; ; step++) {
    const words = `uploading part ${step} of 9 ... `;
    progress.write(words);
    written += words;
    await progress.flushed();
    kept("progress", written);
    await systemClock.sleep(DEMO.stepMs);
  }
}
