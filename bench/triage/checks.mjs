// A check for a package, as its user would give it with --verify: its entry loads, and the tests it publishes pass. Run on
// HEAD alone first; a package whose HEAD does not pass is left out, as `verify` leaves it out. What runs is other people's
// code: as nobody where we are root, without our environment, for a bounded time.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const ROOT = join(tmpdir(), "refloat-bench-checks");
const NOBODY = 65_534;
const TIMEOUT_MS = 60_000;
const INSTALL_TIMEOUT_MS = 180_000;
/** Tests run of one package; the first by name that pass on HEAD. */
const MAX_TESTS = 6;
/** Test files tried on HEAD to find those. */
const MAX_TRIED = 10;
/** Runners that a published test may need and that install in seconds. */
const RUNNERS = ["tape", "mocha", "chai"];
const TEST = /^(?:tests?\/[^/]+\.[mc]?js|[^/]+\.test\.[mc]?js|test\.[mc]?js)$/;

const hashOf = (text) => createHash("sha256").update(text).digest("hex").slice(0, 20);

/** The pairs whose HEAD passes a check, at most `most`, at most two of one package. */
export async function withChecks(pairs, most) {
  const found = [];
  for (const pair of pairs) {
    if (found.length >= most) break;
    if (found.filter(({ name }) => name === pair.name).length >= 2) continue;
    const checked = await withCheck(pair);
    if (checked) found.push(checked);
  }
  return found;
}

async function withCheck(pair) {
  const [was, is] = [pair.before, pair.after].map((tree) => manifestOf(tree));
  if (!was || !is) return null;
  const dependencies = { ...was.dependencies, ...is.dependencies };
  const tests = [...pair.before.keys()].filter((path) => TEST.test(path)).sort();
  if (tests.length > 0)
    for (const name of RUNNERS)
      if (was.devDependencies?.[name]) dependencies[name] = was.devDependencies[name];
  const modules = await installed(dependencies);
  if (modules === null) return null;
  const root = join(ROOT, "work", hashOf(pair.label));
  rmSync(root, { recursive: true, force: true });
  for (const [path, bytes] of pair.before) put(root, path, bytes);
  if (modules !== "") symlinkSync(modules, join(root, "node_modules"));
  const about = { ...pair, root, outcomes: `${pair.label} ${JSON.stringify(dependencies)}` };
  let load = null;
  for (const command of loadsOf(was))
    if (load === null && (await outcomeOf({ ...about, command }, [])) === "passed") load = command;
  if (load === null) return null;
  const passing = [];
  for (const path of tests.slice(0, MAX_TRIED)) {
    const command = /\bmocha\b/.test(was.scripts?.test ?? "")
      ? `node node_modules/mocha/bin/mocha.js ${path}`
      : `node ${path}`;
    if (passing.length < MAX_TESTS && (await outcomeOf({ ...about, command }, [])) === "passed")
      passing.push(command);
  }
  return { ...about, command: [load, ...passing].join(" && "), hasTests: passing.length > 0 };
}

function manifestOf(tree) {
  const text = tree.get("package.json")?.toString();
  return text === undefined ? null : JSON.parse(text);
}

/** By its own name, so that `exports` counts as it does for whoever uses it; without `exports`, by its place. */
const loadsOf = ({ name }) =>
  [`'${name}'`, "require.resolve('./')"].map(
    (what) => `node -e "import(${what}).then(() => process.exit(0), () => process.exit(1))"`,
  );

/** The folder of modules; "": none needed. Null: they cannot be had. */
async function installed(dependencies) {
  if (Object.keys(dependencies).length === 0) return "";
  const place = join(ROOT, "modules", hashOf(JSON.stringify(dependencies)));
  const modules = join(place, "node_modules");
  if (existsSync(join(place, "failed"))) return null;
  if (existsSync(join(place, "whole"))) return modules;
  rmSync(place, { recursive: true, force: true });
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, "package.json"), JSON.stringify({ name: "work", private: true, dependencies }));
  const args = ["i", "--ignore-scripts", "--no-audit", "--no-fund", "--silent", "--engine-strict=false"];
  const mark = await run("npm", args, { cwd: place, timeout: INSTALL_TIMEOUT_MS }).then(
    () => "whole",
    (thrown) => {
      if (thrown.code === undefined && !thrown.killed) throw thrown;
      return "failed";
    },
  );
  writeFileSync(join(place, mark), "");
  return mark === "whole" ? modules : null;
}

function put(root, path, bytes) {
  const at = join(root, path);
  if (bytes === null || bytes === undefined) return rmSync(at, { force: true });
  mkdirSync(dirname(at), { recursive: true });
  writeFileSync(at, bytes);
}

/**
 * The check on HEAD with these changes ([path, bytes or null]). Kept by what was run on what, so that a killed run goes on;
 * one that took too long is not kept.
 */
export async function outcomeOf({ root, before, command, outcomes }, changes) {
  const states = changes.map(([path, bytes]) => `${path} ${bytes ? hashOf(bytes) : "gone"}`).sort();
  const file = join(ROOT, "outcomes", hashOf(JSON.stringify([outcomes, command, states])));
  if (existsSync(file)) return readFileSync(file, "utf8");
  for (const [path, bytes] of changes) put(root, path, bytes);
  const outcome = await runCheck(command, root);
  for (const [path] of changes) put(root, path, before.get(path));
  if (outcome === "not-run") return outcome;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, outcome);
  return outcome;
}

async function runCheck(command, cwd) {
  const who = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  const env = { PATH: process.env.PATH, HOME: cwd, NODE_ENV: "test" };
  return run("sh", ["-c", command], { cwd, env, timeout: TIMEOUT_MS, killSignal: "SIGKILL", ...who }).then(
    () => "passed",
    (thrown) => {
      if (thrown.killed || thrown.code === 126 || thrown.code === 127) return "not-run";
      return "failed";
    },
  );
}
