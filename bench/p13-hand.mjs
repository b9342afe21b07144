// @ts-check
// P13: what a person types, as processes against an empty script of the same Node: ten changed files in a clone of some
// five hundred, one session that died. In turns, so that whatever else the machine does hits all of them alike.
import { spawnSync } from "node:child_process";
import { cpSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { leaveWork, repositoryWithSources } from "./left-work.mjs";
import { median, scratchDirectory } from "./raw.mjs";
import { git } from "./repositories.mjs";

const BIN = resolve(import.meta.dirname, "../dist/cli/bin.js");
const SIZE = { files: 500, changed: 10 };
const ROUNDS = 11;
/** In this order in each round: what `settle` does, `undo` takes back, so that every round finds the same. */
const COMMANDS = [
  { name: "status", args: ["status"], target: 3 },
  { name: "inspect", args: ["inspect"], target: 3.5 },
  { name: "handoff", args: ["handoff"], target: 3.5 },
  { name: "sessions", args: ["sessions"], target: 2 },
  { name: "run -- true", args: ["run", "--", "true"], target: 4 },
  { name: "settle --yes", args: ["settle", "--yes"], target: 5 },
  { name: "undo", args: ["undo", "--yes"], target: 3 },
];

export async function run() {
  const dir = scratchDirectory("p13");
  const root = join(dir, "clone");
  git(dir, ["clone", "-q", repositoryWithSources(SIZE), root]);
  const home = join(dir, "home");
  // As long as before: a file that ends earlier than it did is not called whole.
  await leaveWork(root, SIZE, home, 1);
  // What `run` adds would be one session more in each round: it has a store of its own.
  const homeOfRun = join(dir, "home-of-run");
  cpSync(home, homeOfRun, { recursive: true });
  const empty = join(dir, "empty.mjs");
  writeFileSync(empty, "");
  /** @type {Map<string, number[]>} */
  const times = new Map([["empty", []], ...COMMANDS.map(({ name }) => /** @type {const} */ ([name, []]))]);
  for (let round = 0; round <= ROUNDS; round++) {
    const all = [
      { name: "empty", argv: [empty], of: home },
      ...COMMANDS.map(({ name, args }) => ({
        name,
        argv: [BIN, ...args],
        of: name.startsWith("run") ? homeOfRun : home,
      })),
    ];
    for (const { name, argv, of } of all) {
      const ms = timed(name, argv, root, of);
      // The first round finds nothing kept, and is what nobody types twice.
      if (round > 0) times.get(name)?.push(ms);
    }
  }
  rmSync(dir, { recursive: true });
  const base = median(times.get("empty") ?? []);
  return COMMANDS.map(({ name, target }) => {
    const p50 = median(times.get(name) ?? []);
    return {
      goal: "P13",
      what: `\`${name}\` as a process, ${SIZE.changed} changed of ${SIZE.files} files, one session, against an empty script`,
      value: p50 / base,
      target,
      want: "at most",
      note: `p50 ${p50.toFixed(0)} ms against ${base.toFixed(0)} ms`,
    };
  });
}

/** @param {string} name @param {string[]} argv @param {string} cwd @param {string} home */
function timed(name, argv, cwd, home) {
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    REFLOAT_HOME: home,
    GIT_AUTHOR_NAME: "bench",
    GIT_AUTHOR_EMAIL: "bench@example.invalid",
    GIT_COMMITTER_NAME: "bench",
    GIT_COMMITTER_EMAIL: "bench@example.invalid",
  };
  const from = performance.now();
  const { status, stderr } = spawnSync(process.execPath, argv, { cwd, env, encoding: "utf8" });
  if (status !== 0) throw new Error(`${name}: exit ${status}: ${stderr}`);
  return performance.now() - from;
}
