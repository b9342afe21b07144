// P4: eight processes saturating one store: throughput against one process, the worst-off against the mean,
// the worst single wait against one writer's p50. Beside each, in the same rounds, the parts alone (prototypes/processes-child.mjs): the same
// tables in one SQLite file with the same sync, who waits for whom being SQLite's own business.
import { fork } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { makeBareDatabase } from "./prototypes/append.mjs";
import { median, scratchDirectory } from "./raw.mjs";

const PROCESSES = 8;
const RUN_MS = 3000;
const ROUNDS = 3;
const OURS = fileURLToPath(new URL("./p4-child.mjs", import.meta.url));
const PARTS = fileURLToPath(new URL("./prototypes/processes-child.mjs", import.meta.url));

async function saturate(program, path, processes) {
  const children = Array.from({ length: processes }, (_, place) =>
    fork(program, [path, String(RUN_MS), String(place)]),
  );
  await Promise.all(children.map((child) => once(child, "message")));
  const results = children.map(async (child) => (await once(child, "message"))[0]);
  for (const child of children) child.send("go");
  return Promise.all(results);
}

/** One process, then all of them, each on a file of its own. */
async function round(program, pathOf) {
  const [alone] = await saturate(program, pathOf("one"), 1);
  const together = await saturate(program, pathOf("all"), PROCESSES);
  const appends = together.map((child) => child.appends);
  const total = appends.reduce((sum, count) => sum + count, 0);
  const worstMs = Math.max(...together.map((child) => child.worstMs));
  return {
    throughput: total / alone.appends,
    share: Math.min(...appends) / (total / PROCESSES),
    wait: worstMs / alone.p50Ms,
    note: `${total} in ${RUN_MS} ms against ${alone.appends}; worst wait ${worstMs.toFixed(1)} ms, p50 alone ${alone.p50Ms.toFixed(2)} ms`,
  };
}

export async function run() {
  const dir = scratchDirectory("p4");
  const ours = [];
  const parts = [];
  for (let at = 0; at < ROUNDS; at++) {
    ours.push(await round(OURS, (name) => join(dir, `${name}-${at}.db`)));
    const bare = (name) => join(dir, `bare-${name}-${at}.db`);
    for (const name of ["one", "all"]) makeBareDatabase(bare(name));
    parts.push(await round(PARTS, bare));
  }
  rmSync(dir, { recursive: true });
  const row = (key, what, target, want) => {
    const of = (rounds) => median(rounds.map((one) => one[key]));
    const note = `the parts alone ${of(parts).toFixed(2)}x`;
    return { goal: "P4", what: `${PROCESSES} processes: ${what}`, value: of(ours), target, want, note };
  };
  const notes = (rounds) => rounds.map(({ note }) => note).join(" | ");
  const throughput = row("throughput", "throughput against one", 0.4, "at least");
  throughput.note += ` (${notes(parts)}); ours ${notes(ours)}`;
  return [
    throughput,
    row("share", "worst-off against the mean", 0.5, "at least"),
    row("wait", "worst wait against one writer's p50", 150, "at most"),
  ];
}
