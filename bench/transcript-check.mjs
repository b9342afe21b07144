// `transcript check` of 500 MB, as a process, against a script that reads the same file line by line and parses each: the least anybody
// must do who looks at every record. The files are made here: a session of pi, answers with calls and results of all sizes, as short as a
// hundred bytes and as long as a file; and one whose lines are all short, where each record's own costs are all there is. Processor time is compared: how long each waited for a busy machine says nothing of either (the
// time by the clock is printed beside it). Peak memory, too: what is held must not grow with the file.
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ALL_SIZES, makeTranscript, SHORT } from "./made-transcript.mjs";
import { median, scratchDirectory } from "./raw.mjs";

const BYTES = Number(process.env.BENCH_TRANSCRIPT_BYTES ?? 500_000_000);
const ROUNDS = 5;
const MOST_MEMORY = 150_000_000;
const BIN = fileURLToPath(new URL("../dist/cli/bin.js", import.meta.url));
const PEAK = fileURLToPath(new URL("./peak-memory.cjs", import.meta.url));

const PARSES = `
const { openSync, readSync } = require("node:fs");
const fd = openSync(process.argv[1], "r");
const piece = Buffer.allocUnsafe(1 << 20);
let held = Buffer.alloc(0);
let lines = 0;
for (;;) {
  const read = readSync(fd, piece, 0, piece.length, null);
  if (read === 0) break;
  const bytes = held.length === 0 ? piece.subarray(0, read) : Buffer.concat([held, piece.subarray(0, read)]);
  let at = 0;
  for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, at)) {
    JSON.parse(bytes.toString("utf8", at, end));
    lines += 1;
    at = end + 1;
  }
  held = Buffer.from(bytes.subarray(at));
}
if (lines === 0) throw new Error("nothing was read");
`;

function timed(args, dir) {
  const [peak, used] = [join(dir, "peak"), join(dir, "used")];
  const began = performance.now();
  const ran = spawnSync(process.execPath, ["--require", PEAK, ...args], {
    env: { ...process.env, BENCH_PEAK: peak, BENCH_USED: used, REFLOAT_HOME: join(dir, "home") },
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  if (ran.status !== 0) throw new Error(`${args.at(-2)} ended with ${ran.status}: ${ran.stderr}`);
  const clockMs = performance.now() - began;
  const number = (file) => Number(readFileSync(file, "utf8"));
  return { clockMs, usedMs: number(used), peak: number(peak), stdout: ran.stdout };
}

export async function run() {
  return [...measured("of all sizes", ALL_SIZES), ...measured("of short lines", SHORT)];
}

function measured(name, sizes) {
  const dir = scratchDirectory("transcript");
  const file = join(dir, "session.jsonl");
  const { written, lines } = makeTranscript(file, BYTES, sizes);
  const rounds = [];
  for (let round = 0; round < ROUNDS; round++) {
    const parse = timed(["-e", PARSES, file], dir);
    const check = timed([BIN, "transcript", "check", file, "--json"], dir);
    const { status, damage } = JSON.parse(check.stdout);
    if (status !== "ended-clean" || damage.length > 0) throw new Error(`it was read as ${status}`);
    rounds.push({ parse, check, ratio: check.usedMs / parse.usedMs });
  }
  rmSync(dir, { recursive: true });
  const ratios = rounds.map(({ ratio }) => ratio);
  const peak = Math.max(...rounds.map(({ check }) => check.peak));
  const ms = (which, time) => `${median(rounds.map((round) => round[which][time])).toFixed(0)} ms`;
  return [
    {
      goal: "trs",
      what: `transcript check of ${(written / 1e6).toFixed(0)} MB ${name}, against reading and parsing it line by line`,
      value: median(ratios),
      target: 1.5,
      want: "at most",
      note: `${ms("check", "usedMs")} against ${ms("parse", "usedMs")} of the processor (${ms("check", "clockMs")} against ${ms("parse", "clockMs")} by the clock), ${lines} lines; rounds ${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`,
    },
    {
      goal: "trs",
      what: "its peak memory, against 150 MB",
      value: peak / MOST_MEMORY,
      target: 1,
      want: "at most",
      note: `${(peak / 1e6).toFixed(0)} MB`,
    },
  ];
}
