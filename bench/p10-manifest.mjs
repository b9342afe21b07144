// P10: the manifest of 1,000 changed JavaScript files of 4 KiB in 100,000 files, in process, against `git status -uall` and
// `git diff`: when the first lines are on the screen (who it was, what it said last, what it left open), when all of it is there as
// JSON, and once more with what the first look kept. The worst come first, so verdicts are there together, with all of it.
// Beside all of it, in the same rounds, the parser alone (prototypes/parse-both.mjs).
import { rmSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "refloat";
import { systemClock } from "../dist/platform/clock.js";
import { openKeptAnalysis } from "../dist/salvage/analysis/kept-analysis.js";
import { salvage } from "../dist/salvage/judging/salvage.js";
import { manifestOf } from "../dist/salvage/manifest/manifest.js";
import { openWorkspace } from "../dist/workspace/opening/workspace.js";
import { bothSides, leaveWork, repositoryWithSources } from "./left-work.mjs";
import { parseMs } from "./prototypes/parse-both.mjs";
import { median, scratchDirectory } from "./raw.mjs";
import { git } from "./repositories.mjs";

const SIZE = { files: 100_000, changed: 1000 };
const ROUNDS = 3;

export async function run() {
  const dir = scratchDirectory("p10");
  const root = repositoryWithSources(SIZE);
  const ratios = { screen: [], full: [], again: [] };
  const processor = { full: [], again: [] };
  const parts = { errors: [], trees: [] };
  let said = "";
  for (let round = 1; round <= ROUNDS; round++) {
    const home = join(dir, String(round));
    // Bytes nobody has seen yet, so that nothing is known of them.
    await leaveWork(root, SIZE, home, `${process.pid}.${round}`);
    gitAlone(root);
    const base = [timed(() => gitAlone(root))];
    const first = await look(root, home);
    base.push(timed(() => gitAlone(root)));
    const again = await look(root, home);
    base.push(timed(() => gitAlone(root)));
    const raw = median(base);
    ratios.screen.push(first.screenMs / raw);
    ratios.full.push(first.fullMs / raw);
    ratios.again.push(again.fullMs / raw);
    const texts = bothSides(SIZE, `${process.pid}.${round}`);
    parts.errors.push(parseMs(texts, false) / raw);
    parts.trees.push(parseMs(texts, true) / raw);
    processor.full.push(first.processorMs);
    processor.again.push(again.processorMs);
    said = `${first.groups} groups; git ${raw.toFixed(0)} ms, full ${first.fullMs.toFixed(0)} ms, again ${again.fullMs.toFixed(0)} ms`;
  }
  rmSync(dir, { recursive: true });
  const what = `manifest of ${SIZE.changed} changed files in ${SIZE.files}, against git status -uall and git diff`;
  return [
    { what: `${what}: first screen`, all: ratios.screen, target: 3, note: said },
    {
      what: `${what}: full`,
      all: ratios.full,
      target: 8,
      note: `our own processor time ${median(processor.full).toFixed(0)} ms; the parts alone, both sides parsed on one thread, ${median(parts.errors).toFixed(2)}x, with their trees as objects ${median(parts.trees).toFixed(2)}x`,
    },
    {
      what: `${what}: again`,
      all: ratios.again,
      target: 1.5,
      note: `our own processor time ${median(processor.again).toFixed(0)} ms`,
    },
  ].map(({ all, note, ...row }) => ({
    ...row,
    goal: "P10",
    value: median(all),
    want: "at most",
    note: `${note}; rounds ${Math.min(...all).toFixed(2)} to ${Math.max(...all).toFixed(2)}`,
  }));
}

function gitAlone(root) {
  git(root, ["--no-optional-locks", "status", "--porcelain=v2", "-z", "-uall"]);
  git(root, ["--no-optional-locks", "diff"]);
}

function timed(act) {
  const from = performance.now();
  act();
  return performance.now() - from;
}

/** As `inspect` does it, without the start of a process. */
async function look(root, home) {
  const used = process.cpuUsage();
  const from = performance.now();
  const env = process.env;
  const store = await openStore(join(home, "refloat.db"), { thread: false });
  const cache = openKeptAnalysis(home);
  const rows = await store.raw.sessions({ workspace: root });
  const workspace = openWorkspace(root, { env });
  let screenMs = Number.NaN;
  const found = await salvage({
    store: store.raw,
    workspace,
    rows,
    row: rows[0] ?? null,
    env,
    clock: systemClock,
    cache,
    onTold: async (told) => {
      await manifestOf({ ...told, groups: [], isMoving: false });
      screenMs = performance.now() - from;
    },
  });
  const manifest = await manifestOf(found);
  cache.close();
  JSON.stringify(manifest);
  const fullMs = performance.now() - from;
  const { user, system } = process.cpuUsage(used);
  await store.close();
  return { screenMs, fullMs, processorMs: (user + system) / 1000, groups: manifest.groups.length };
}
