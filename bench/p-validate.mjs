// Validating 1,000 state files in one call, against reading and parsing them: what `state validate` does, with every
// rule, the look for a companion and for refloat.json. Files as `init` and `step` write them, and real ones.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../dist/platform/clock.js";
import { ORIGINAL_WORKFLOW } from "../dist/workflow/step-list.js";
import { templateOf } from "../dist/workflow/template.js";
import { validateFiles } from "../dist/workflow/validate-files.js";
import { interleave, scratchDirectory } from "./raw.mjs";

const FILES = 1000;
const TARGET = 2;
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
    const variants = [
      { name: "raw", run: () => void readAndParse() },
      { name: "ours", run: () => void validateFiles(files, { clock: systemClock }) },
    ];
    const { raw, ours } = (await interleave(variants, 5, 5)).variants;
    rmSync(dir, { recursive: true });
    rows.push({
      goal: "Pval",
      what: `validate ${FILES} state files (${kind}) against reading and parsing them`,
      value: ours.ratio.median,
      target: TARGET,
      want: "at most",
      note: `p50 ${(ours.p50Us / 1000).toFixed(0)} ms against ${(raw.p50Us / 1000).toFixed(0)} ms; rounds ${ours.ratio.min.toFixed(2)} to ${ours.ratio.max.toFixed(2)}`,
    });
  }
  return rows;
}
