// Importing @refloat/core as a process, against an empty script of the same Node.
import { spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { median, scratchDirectory } from "./raw.mjs";

const CORE = resolve(import.meta.dirname, "../packages/core/dist/core.js");
const ROUNDS = 25;
const TARGET = 2;

export async function run() {
  const dir = scratchDirectory("core");
  const scripts = { empty: "", core: `import ${JSON.stringify(CORE)};` };
  const times = { empty: [], core: [] };
  for (const [name, text] of Object.entries(scripts)) writeFileSync(join(dir, `${name}.mjs`), text);
  // Interleaved: whatever else the machine does hits both alike.
  for (let i = 0; i < ROUNDS; i++)
    for (const name of Object.keys(scripts)) {
      const from = performance.now();
      const { status, stderr } = spawnSync(process.execPath, [join(dir, `${name}.mjs`)]);
      times[name].push(performance.now() - from);
      if (status !== 0) throw new Error(`${name}: ${stderr}`);
    }
  rmSync(dir, { recursive: true });
  const [core, empty] = [median(times.core), median(times.empty)];
  return [
    {
      goal: "core",
      what: "import of @refloat/core as a process, against an empty script",
      value: core / empty,
      target: TARGET,
      want: "at most",
      note: `p50 ${core.toFixed(0)} ms against ${empty.toFixed(0)} ms`,
    },
  ];
}
