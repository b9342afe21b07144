// A large transcript taken into a session's journal, as a process: its peak memory, against that of a tenth of it. What is held must not
// grow with the file. How long it took is printed beside it: most of that is the store's own writing.
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { ALL_SIZES, makeTranscript } from "./made-transcript.mjs";
import { scratchDirectory } from "./raw.mjs";

const BYTES = Number(process.env.BENCH_TRANSCRIPT_BYTES ?? 268_000_000);
const CHILD = resolve(import.meta.dirname, "take-in-child.mjs");
const PEAK = resolve(import.meta.dirname, "peak-memory.cjs");
const MOST_MEMORY = 200_000_000;

export async function run() {
  const small = taken(BYTES / 10);
  const large = taken(BYTES);
  const told = ({ peak, usedMs, records }) =>
    `${(peak / 1e6).toFixed(0)} MB, ${records} records, ${usedMs.toFixed(0)} ms of the processor`;
  return [
    {
      goal: "trs",
      what: `taking in ${(BYTES / 1e6).toFixed(0)} MB, peak memory against 200 MB`,
      value: large.peak / MOST_MEMORY,
      target: 1,
      want: "at most",
      note: told(large),
    },
    {
      goal: "trs",
      what: "its peak memory against that of a tenth of it",
      value: large.peak / small.peak,
      target: 1.3,
      want: "at most",
      note: `against ${told(small)}`,
    },
  ];
}

function taken(bytes) {
  const dir = scratchDirectory("take-in");
  const [file, peak, used] = ["session.jsonl", "peak", "used"].map((name) => join(dir, name));
  const { session } = makeTranscript(file, bytes, ALL_SIZES);
  const ran = spawnSync(process.execPath, ["-r", PEAK, CHILD, join(dir, "refloat.db"), file, session], {
    env: { ...process.env, BENCH_PEAK: peak, BENCH_USED: used },
    encoding: "utf8",
  });
  if (ran.status !== 0) throw new Error(`it ended with ${ran.status}: ${ran.stderr}`);
  const { records } = JSON.parse(ran.stdout);
  const number = (name) => Number(readFileSync(name, "utf8"));
  const found = { peak: number(peak), usedMs: number(used), records };
  rmSync(dir, { recursive: true });
  return found;
}
