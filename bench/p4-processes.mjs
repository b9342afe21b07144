// P4: eight processes saturating one store: throughput against one process, the worst-off against the mean,
// the worst single wait against one writer's p50.
import { fork } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { median, scratchDirectory } from "./raw.mjs";

const PROCESSES = 8;
const RUN_MS = 3000;
const ROUNDS = 3;
const CHILD = fileURLToPath(new URL("./p4-child.mjs", import.meta.url));

async function saturate(path, processes) {
  const children = Array.from({ length: processes }, () => fork(CHILD, [path, String(RUN_MS)]));
  await Promise.all(children.map((child) => once(child, "message")));
  const results = children.map(async (child) => (await once(child, "message"))[0]);
  for (const child of children) child.send("go");
  return Promise.all(results);
}

export async function run() {
  const dir = scratchDirectory("p4");
  const rounds = [];
  for (let round = 0; round < ROUNDS; round++) {
    const [alone] = await saturate(join(dir, `one-${round}.db`), 1);
    const together = await saturate(join(dir, `all-${round}.db`), PROCESSES);
    const appends = together.map((child) => child.appends);
    const total = appends.reduce((sum, count) => sum + count, 0);
    rounds.push({
      throughput: total / alone.appends,
      share: Math.min(...appends) / (total / PROCESSES),
      wait: Math.max(...together.map((child) => child.worstMs)) / alone.p50Ms,
      note: `${total} in ${RUN_MS} ms against ${alone.appends}; worst wait ${Math.max(...together.map((child) => child.worstMs)).toFixed(1)} ms, p50 alone ${alone.p50Ms.toFixed(2)} ms`,
    });
  }
  rmSync(dir, { recursive: true });
  const of = (key) => median(rounds.map((round) => round[key]));
  const notes = rounds.map((round) => round.note).join(" | ");
  return [
    {
      goal: "P4",
      what: `${PROCESSES} processes: throughput against one`,
      value: of("throughput"),
      target: 0.4,
      want: "at least",
      note: notes,
    },
    {
      goal: "P4",
      what: `${PROCESSES} processes: worst-off against the mean`,
      value: of("share"),
      target: 0.5,
      want: "at least",
      note: "",
    },
    {
      goal: "P4",
      what: `${PROCESSES} processes: worst wait against one writer's p50`,
      value: of("wait"),
      target: 150,
      want: "at most",
      note: "",
    },
  ];
}
