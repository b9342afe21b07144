// Validating 1,000 state files in one call, against reading and parsing them: what `state validate` does, with every
// rule, the look for a companion and for refloat.json. Files as `init` and `step` write them, and real ones. Both
// sides only compute and ask the page cache, so they are compared by the processor time they take, which other
// programs do not lengthen; the time on the clock is noted beside it.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../dist/platform/clock.js";
import { ORIGINAL_WORKFLOW } from "../dist/workflow/step-list.js";
import { templateOf } from "../dist/workflow/template.js";
import { validateFiles } from "../dist/workflow/validate-files.js";
import { parseAndCheck } from "./prototypes/state-files.mjs";
import { median, scratchDirectory } from "./raw.mjs";

const FILES = 1000;
const TARGET = 2;
const WARM_UP = 5;
const ROUNDS = 7;
const BLOCK = 5;
const SAMPLES = join(import.meta.dirname, "../test/samples/session-state");
/** Findings are printed with their lines, which needs a second look: said beside the goal, not hidden in it. */
const KINDS = { "as init writes them": soundTexts, "real samples with findings": sampleTexts };

function soundTexts() {
  const facts = { project: "bench", branch: "main", region: "x", updated: "2026-01-01T00:00:00Z" };
  return [`${JSON.stringify(templateOf(ORIGINAL_WORKFLOW, "2.0", facts), null, 2)}\n`];
}

function sampleTexts() {
  const names = readdirSync(SAMPLES).filter((name) => name.endsWith(".json") && name !== "INDEX.md");
  return names.map((name) => readFileSync(join(SAMPLES, name), "utf8"));
}

/** One block of calls: what they cost the processor and how long they took, in milliseconds a call. */
function timeOf(work) {
  const [cpu, startedMs] = [process.cpuUsage(), performance.now()];
  for (let i = 0; i < BLOCK; i++) work();
  const { user, system } = process.cpuUsage(cpu);
  return { cpuMs: (user + system) / 1000 / BLOCK, clockMs: (performance.now() - startedMs) / BLOCK };
}

const clock = (times) => median(times.map(({ clockMs }) => clockMs)).toFixed(0);

export async function run() {
  const rows = [];
  for (const [kind, texts] of Object.entries(KINDS)) {
    const dir = scratchDirectory("validate");
    const all = texts();
    const files = Array.from({ length: FILES }, (_, i) => {
      const folder = join(dir, `p${i}`);
      mkdirSync(folder);
      const path = join(folder, "00-session-state.json");
      writeFileSync(path, all[i % all.length]);
      return path;
    });
    const readAndParse = () => files.map((file) => JSON.parse(readFileSync(file, "utf8")));
    const parts = () => parseAndCheck(files);
    const validate = () => validateFiles(files, { clock: systemClock });
    for (let i = 0; i < WARM_UP; i++) void [readAndParse(), parts(), validate()];
    const raw = [];
    const ours = [];
    const alone = [];
    for (let round = 0; round < ROUNDS; round++) {
      raw.push(timeOf(readAndParse));
      ours.push(timeOf(validate));
      alone.push(timeOf(parts).cpuMs / raw[round].cpuMs);
    }
    const ratios = ours.map(({ cpuMs }, i) => cpuMs / raw[i].cpuMs);
    rmSync(dir, { recursive: true });
    rows.push({
      goal: "Pval",
      what: `validate ${FILES} state files (${kind}) against reading and parsing them`,
      value: median(ratios),
      target: TARGET,
      want: "at most",
      note: `processor time, rounds ${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}; the parts alone ${median(alone).toFixed(2)}x; on the clock p50 ${clock(ours)} ms against ${clock(raw)} ms`,
    });
  }
  return rows;
}
