// @ts-check
// P13: what a person types, as processes against an empty script of the same Node: ten changed files in a clone of some
// five hundred, one session that died. In turns, so that whatever else the machine does hits all of them alike. Beside each, in the same turns, the parts
// alone (prototypes/start.mjs).
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { asAfterInit, BIN, processMs } from "./as-process.mjs";
import { leaveWork, repositoryWithSources } from "./left-work.mjs";
import { bundleParts, partsScript, seenGit } from "./prototypes/start.mjs";
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
  asAfterInit();
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
  const ours = COMMANDS.map(({ name, args }) => ({
    name,
    argv: [BIN, ...args],
    place: { root, home: name.startsWith("run") ? homeOfRun : home },
  }));
  // The first round finds nothing kept, and is what nobody types twice. The second is watched.
  for (const { argv, place } of ours) processMs(argv, place);
  const bundle = await bundleParts(dir);
  const parts = ours.map(({ name, argv, place }, at) => {
    const own = join(dir, `parts-${at}`);
    mkdirSync(own);
    const seen = seenGit(own, argv, place);
    const { calls, ...copy } = seen;
    return { name: partsOf(name), argv: [partsScript(own, bundle, seen)], place: copy, git: calls.length };
  });
  const all = [{ name: "empty", argv: [empty], place: { root, home } }, ...ours, ...parts];
  /** @type {Map<string, number[]>} */
  const times = new Map(all.map(({ name }) => [name, []]));
  for (let round = 0; round < ROUNDS; round++)
    for (const { name, argv, place } of all) times.get(name)?.push(processMs(argv, place));
  rmSync(dir, { recursive: true });
  const of = (/** @type {string} */ name) => median(times.get(name) ?? []);
  const base = of("empty");
  return COMMANDS.map(({ name, target }, at) => {
    const [p50, alone] = [of(name), of(partsOf(name))];
    return {
      goal: "P13",
      what: `\`${name}\` as a process, ${SIZE.changed} changed of ${SIZE.files} files, one session, against an empty script`,
      value: p50 / base,
      target,
      want: "at most",
      note: `p50 ${p50.toFixed(0)} ms against ${base.toFixed(0)} ms; the parts alone ${(alone / base).toFixed(2)}x (${alone.toFixed(0)} ms, git ${parts[at]?.git} times)`,
    };
  });
}

const partsOf = (/** @type {string} */ name) => `the parts of ${name}`;
