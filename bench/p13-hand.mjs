// @ts-check
// P13: what a person types, as processes against an empty script of the same Node: ten changed files in a clone of some
// five hundred, one session that died. In turns, so that whatever else the machine does hits all of them alike.
import { cpSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BIN, processMs } from "./as-process.mjs";
import { leaveWork, repositoryWithSources } from "./left-work.mjs";
import { median, scratchDirectory } from "./raw.mjs";
import { git } from "./repositories.mjs";

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
      const ms = processMs(argv, { root, home: of });
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
