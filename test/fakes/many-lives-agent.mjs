/**
 * An agent that is killed again and again: what it does in each of its lives is a list in its first argument, JSON
 * `{notes, lives: [[step, ...], ...]}`. Which life it is it counts in `notes`, outside the workspace. A step is one of
 *
 *   {say}            prints a line
 *   {call, result}   records a call under the session's mark, as a hook would; with `result` also how it ended
 *   {effect}         what a tool does to the world: a line in `notes/effects`, which nobody may find twice
 *   {write, text}    appends to a file of the workspace
 *   {brief}          copies the brief it was given to `notes/brief-N`
 *   {die}            SIGKILL, by its own hand
 */
import { appendFileSync, copyFileSync, existsSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";

const { notes, lives } = JSON.parse(process.argv[2] ?? "{}");
const counter = join(notes, "lives");
const life = existsSync(counter) ? Number(readFileSync(counter, "utf8")) + 1 : 1;
writeFileSync(counter, String(life));

for (const step of lives[life - 1] ?? []) {
  if (step.say !== undefined) writeSync(1, `${step.say}\n`);
  if (step.call !== undefined) await record(step);
  if (step.effect !== undefined) appendFileSync(join(notes, "effects"), `${step.effect}\n`);
  if (step.write !== undefined) appendFileSync(step.write, step.text);
  if (step.brief) copyFileSync(process.env.REFLOAT_HANDOFF_FILE, join(notes, `brief-${life}`));
  if (step.die) {
    process.kill(process.pid, "SIGKILL");
    for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  }
}

async function record({ call, result }) {
  const [, session, attempt] = /^(.+)\.(\d+)\.[^.]+$/.exec(process.env.REFLOAT_SESSION ?? "") ?? [];
  const { openStore } = await import("../../dist/index.js");
  const store = await openStore(undefined, { thread: false });
  const turn = (await store.raw.open(session)).find(({ what }) => what === "turn")?.id;
  const id = `${call}-${life}`;
  const append = (kind, body) =>
    store.raw.append(session, { attempt: Number(attempt) }, [
      { id: `${kind}:${id}`, kind, atMs: Date.now(), body: { call: id, ...body } },
    ]);
  await append("call.started", { turn, tool: "shell", input: { command: call }, effect: "unknown" });
  if (result !== undefined) await append("call.ended", { status: "done", output: result, synthetic: false });
  await store.close();
}
