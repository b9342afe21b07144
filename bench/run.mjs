// `npm run bench`, or `node bench/run.mjs [P1 P3 ...] [--peers]`: every goal of the design's section 12 that is built, as ratios within
// this run, beside its goal. A goal that is missed is printed as missed. Results: bench/out/results.json; `--write` puts them
// into docs/benchmarks.md, on a quiet machine.
import { writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { OUT } from "./raw.mjs";
import { refusal, writeDocs } from "./written.mjs";

const BENCHES = {
  P1: "./p1-append.mjs",
  P2: "./p2-growth.mjs",
  P3: "./p3-sessions.mjs",
  P4: "./p4-processes.mjs",
  P5: "./p5-resume.mjs",
  P6: "./p6-known-paths.mjs",
  P7: "./p7-status.mjs",
  P8: "./p8-hook.mjs",
  P10: "./p10-manifest.mjs",
  P11: "./p11-relay.mjs",
  P9: "./p9-start.mjs",
  P12: "./p12-loop-delay.mjs",
  P13: "./p13-hand.mjs",
  P14: "./p14-growth.mjs",
  erase: "./p14-erase.mjs",
  cold: "./p-cold.mjs",
  validate: "./p-validate.mjs",
  large: "./p-large.mjs",
  transcript: "./transcript-check.mjs",
  "take-in": "./transcript-take-in.mjs",
  agents: "./run-agents.mjs",
  page: "./page-api.mjs",
  gateway: "./p-gateway.mjs",
  takeover: "./fleet-takeover.mjs",
  syncs: "./syncs.mjs",
  core: "./p-core.mjs",
};

const args = process.argv.slice(2);
const named = args.filter((arg) => !arg.startsWith("-"));
const chosen = named.length > 0 ? named : Object.keys(BENCHES);
const unknown = chosen.filter((name) => !(name in BENCHES));
if (unknown.length > 0) {
  console.error(
    `No such benchmark: ${unknown.join(", ")}. There are: ${Object.keys(BENCHES).join(", ")}; --peers adds the others.`,
  );
  process.exit(64);
}

const isMet = ({ value, target, want }) =>
  want === "at least"
    ? value >= target
    : want === "at most"
      ? value <= target
      : Math.abs(value - target) <= 0.1 * target;

const load = loadavg()[0];
const isWritten = args.includes("--write");
const refused = isWritten ? refusal(load, args.includes("--anyway")) : null;
if (refused !== null) {
  console.error(refused);
  process.exit(1);
}
console.log(
  `Node ${process.version}, load ${load.toFixed(1)}, ${new Date().toISOString().slice(0, 10)}; ratios within this run\n`,
);
const results = [];
for (const name of chosen) {
  process.stderr.write(`${name} ...\n`);
  const { run } = await import(BENCHES[name]);
  for (const row of await run()) {
    results.push({ ...row, isMet: isMet(row) });
    const verdict = isMet(row) ? "met" : "MISSED";
    console.log(
      `${row.goal.padEnd(4)} ${verdict.padEnd(7)} ${row.value.toFixed(2).padStart(7)}x  (${row.want} ${row.target})  ${row.what}`,
    );
    if (row.note) console.log(`             ${row.note}`);
  }
}
const missed = results.filter((row) => !row.isMet).length;
console.log(
  `\n${results.length - missed} of ${results.length} goals met, ${missed} missed; load ${load.toFixed(1)} before it, ${loadavg()[0].toFixed(1)} after.`,
);
const lastRun = { node: process.version, load, at: new Date().toISOString(), results };
writeFileSync(join(OUT, "results.json"), `${JSON.stringify(lastRun, null, 2)}\n`);
if (isWritten) writeDocs(lastRun);
if (args.includes("--peers")) await import("./peers/run.mjs");
