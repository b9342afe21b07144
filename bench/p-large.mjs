// Ten thousand changed files: the peak memory of `inspect`, first and again, and of `settle --yes`, as processes, against 400 MB.
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { leaveWork, repositoryWithSources } from "./left-work.mjs";
import { scratchDirectory } from "./raw.mjs";
import { git } from "./repositories.mjs";

const BIN = resolve(import.meta.dirname, "../dist/cli/bin.js");
const PRELOADED = resolve(import.meta.dirname, "peak-memory.cjs");
const SIZE = { files: 20_000, changed: 10_000 };
const GOAL_MB = 400;

export async function run() {
  const dir = scratchDirectory("large");
  const root = repositoryWithSources(SIZE);
  const before = String(git(root, ["rev-parse", "HEAD"])).trim();
  await leaveWork(root, SIZE, dir, `large ${process.pid}`);
  const rows = [
    measured(root, dir, "inspect", ["inspect", "--json"]),
    measured(root, dir, "inspect again", ["inspect", "--json"]),
    measured(root, dir, "settle --yes", ["settle", "--yes", "--json"]),
  ];
  // The bench's own repository goes back to where it began.
  git(root, ["reset", "-q", "--hard", before]);
  rmSync(dir, { recursive: true });
  return rows;
}

function measured(root, home, name, args) {
  const peak = join(home, "peak");
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    REFLOAT_HOME: home,
    BENCH_PEAK: peak,
    GIT_AUTHOR_NAME: "bench",
    GIT_AUTHOR_EMAIL: "bench@example.invalid",
    GIT_COMMITTER_NAME: "bench",
    GIT_COMMITTER_EMAIL: "bench@example.invalid",
  };
  const from = performance.now();
  const ended = spawnSync(process.execPath, ["-r", PRELOADED, BIN, ...args], {
    cwd: root,
    env,
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  if (ended.status !== 0) throw new Error(`${name} ended with ${ended.status}: ${ended.stderr}`);
  const megabytes = Number(readFileSync(peak, "utf8")) / 1e6;
  return {
    goal: "large",
    what: `${name} of ${SIZE.changed} changed files, peak memory against ${GOAL_MB} MB`,
    value: megabytes / GOAL_MB,
    target: 1,
    want: "at most",
    note: `${megabytes.toFixed(0)} MB; ${((performance.now() - from) / 1000).toFixed(1)} s`,
  };
}
