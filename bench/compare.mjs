// @ts-check
// `node bench/compare.mjs OLD NEW [P1 P9 ...] [--rounds N]`: two commits in turns in one run, so that a change in speed is
// shown, not felt. Each commit is checked out and built beside the other; the benchmarks are those of this checkout for
// both, so that the same thing is measured. The order is reversed every other round; a difference that lies inside the
// range of the rounds is said to be none.
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { loadavg } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { median, OUT } from "./raw.mjs";

const TREE = resolve(import.meta.dirname, "..");
const DEFAULT_ROUNDS = 4;
const USAGE = "Usage: node bench/compare.mjs OLD NEW [P1 P9 ...] [--rounds N]   (OLD, NEW: commits)";

/** @typedef {{ commit: string, root: string }} Side */
/** @typedef {{ goal: string, what: string, value: number }} Row */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: "string", default: String(DEFAULT_ROUNDS) } },
});
const [old, young, ...benches] = positionals;
const rounds = Number(values.rounds);
if (old === undefined || young === undefined || !Number.isInteger(rounds) || rounds < 2) {
  console.error(USAGE);
  process.exit(64);
}
const sides = [sideOf(old), sideOf(young)];
console.log(
  `${sides.map(({ commit }) => commit.slice(0, 12)).join(" and ")} in turns, ${rounds} rounds, load ${loadavg()[0]?.toFixed(1)}, Node ${process.version}\n`,
);

/** What each side's rounds gave, by the row's words. @type {Map<string, { goal: string, values: [number[], number[]] }>} */
const rows = new Map();
for (let round = 0; round < rounds; round++) {
  for (const at of round % 2 === 0 ? [0, 1] : [1, 0]) {
    process.stderr.write(`round ${round + 1} of ${rounds}: ${sides[at]?.commit.slice(0, 12)} ...\n`);
    for (const { goal, what, value } of measured(/** @type {Side} */ (sides[at]))) {
      const row = rows.get(what) ?? { goal, values: [[], []] };
      row.values[at]?.push(value);
      rows.set(what, row);
    }
  }
}
for (const [what, { goal, values: both }] of rows) console.log(line(goal, what, both));

/** Built once and kept under bench/out, by commit. @param {string} name @returns {Side} */
function sideOf(name) {
  const git = (/** @type {string[]} */ args) =>
    execFileSync("git", args, { cwd: TREE, encoding: "utf8" }).trim();
  const commit = git(["rev-parse", "--verify", `${name}^{commit}`]);
  const root = join(OUT, "compare", commit);
  if (!existsSync(join(root, "dist"))) {
    process.stderr.write(`building ${commit.slice(0, 12)} ...\n`);
    rmSync(root, { recursive: true, force: true });
    mkdirSync(join(OUT, "compare"), { recursive: true });
    git(["clone", "-q", "--no-checkout", TREE, root]);
    execFileSync("git", ["checkout", "-q", commit], { cwd: root });
    installed(root);
    execFileSync("npm", ["run", "--silent", "build"], { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
  }
  // Entry by entry: what is copied to lies in bench/out, and is none of it.
  for (const name of readdirSync(import.meta.dirname))
    if (name !== "out")
      cpSync(join(import.meta.dirname, name), join(root, "bench", name), { recursive: true });
  return { commit, root };
}

/** The packages of this checkout where both ask for the same, else its own. @param {string} root */
function installed(root) {
  const lock = "package-lock.json";
  if (readFileSync(join(root, lock), "utf8") === readFileSync(join(TREE, lock), "utf8"))
    symlinkSync(join(TREE, "node_modules"), join(root, "node_modules"));
  else
    execFileSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], {
      cwd: root,
      stdio: ["ignore", "ignore", "inherit"],
    });
}

/** @param {Side} side @returns {Row[]} */
function measured({ root, commit }) {
  const out = join(root, "bench/out");
  mkdirSync(out, { recursive: true });
  const { status } = spawnSync(process.execPath, ["bench/run.mjs", ...benches], {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
  });
  if (status !== 0)
    throw new Error(`The benchmarks of this checkout do not run on ${commit} (exit ${status}).`);
  return JSON.parse(readFileSync(join(out, "results.json"), "utf8")).results;
}

/** @param {string} goal @param {string} what @param {[number[], number[]]} both */
function line(goal, what, [before, after]) {
  const ratio = median(after) / median(before);
  const isApart = Math.min(...after) > Math.max(...before) || Math.max(...after) < Math.min(...before);
  const said = isApart ? `${((ratio - 1) * 100).toFixed(0).padStart(4)} %` : "  same";
  return `${goal.padEnd(10)} ${said}  ${ranged(before)} then ${ranged(after)}  ${what}`;
}

/** @param {number[]} all */
function ranged(all) {
  if (all.length === 0) return "not measured";
  return `${median(all).toFixed(2)}x (${Math.min(...all).toFixed(2)} to ${Math.max(...all).toFixed(2)})`;
}
