// P12: event-loop delay (p99) of a process whose hundred sessions append through the worker, against the same
// process with the same timers doing nothing. The direct driver is shown beside it: what the worker is for.
import { fork } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { median, scratchDirectory } from "./raw.mjs";

const RUN_MS = 2500;
const ROUNDS = 5;
const CHILD = fileURLToPath(new URL("./p12-child.mjs", import.meta.url));

async function once_(dir, mode, round) {
  const child = fork(CHILD, [join(dir, `${mode}-${round}.db`), mode, String(RUN_MS)]);
  return (await once(child, "message"))[0];
}

export async function run() {
  const dir = scratchDirectory("p12");
  const modes = { idle: [], worker: [], direct: [] };
  for (let round = 0; round < ROUNDS; round++)
    for (const mode of Object.keys(modes)) modes[mode].push(await once_(dir, mode, round));
  rmSync(dir, { recursive: true });
  const ratio = (mode) => median(modes[mode].map((result, round) => result.p99Ms / modes.idle[round].p99Ms));
  const p99 = (mode) => `${mode} ${median(modes[mode].map((result) => result.p99Ms)).toFixed(2)} ms`;
  const note = `p99: ${p99("idle")}, ${p99("worker")}, ${p99("direct")} (direct driver: ${ratio("direct").toFixed(2)}x)`;
  return [
    {
      goal: "P12",
      what: "event-loop delay p99, 100 sessions through the worker, against idle",
      value: ratio("worker"),
      target: 2,
      want: "at most",
      note,
    },
  ];
}
