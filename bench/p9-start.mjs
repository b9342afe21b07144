// P9: `--version`, and bare status in a repository of 1,000 files with 10 sessions, as processes, against an empty script
// of the same Node; in time as a user sees it, and in processor time, which other work on the machine does not change.
// Beside status, in the same turns, the parts alone (prototypes/start.mjs). Then what 1,000 old sessions add to a start, against one.
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { openStore } from "refloat";
import { asAfterInit } from "./as-process.mjs";
import { bundleParts, partsScript, seenGit } from "./prototypes/start.mjs";
import { scratchDirectory } from "./raw.mjs";
import { repositoryOf } from "./repositories.mjs";

const BIN = resolve(import.meta.dirname, "../dist/cli/bin.js");
const FILES = 1000;
const SESSIONS = 10;
const OLD_SESSIONS = 1000;
const ROUNDS = 15;

/** @param {number[]} all */
const median = (all) => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? Number.NaN;

export async function run() {
  asAfterInit();
  const dir = scratchDirectory("p9");
  const root = repositoryOf(FILES);
  const rows = [...(await starts(dir, root)), await oldSessions(dir, root)];
  rmSync(dir, { recursive: true });
  return rows;
}

async function starts(dir, root) {
  const empty = join(dir, "empty.mjs");
  writeFileSync(empty, "");
  const home = join(dir, "home");
  const own = join(dir, "parts");
  for (const folder of [home, own]) mkdirSync(folder);
  await sessionsIn(join(home, "refloat.db"), root, SESSIONS);
  const seen = seenGit(own, [BIN], { root, home });
  const parts = partsScript(own, await bundleParts(dir), seen);
  const commands = { empty: [empty], version: [BIN, "--version"], status: [BIN], parts: [parts] };
  const times = { empty: [], version: [], status: [], parts: [] };
  const processor = { empty: [], version: [], status: [], parts: [] };
  // Interleaved: whatever else the machine does hits all three alike.
  for (let i = 0; i < ROUNDS; i++) {
    for (const [name, args] of Object.entries(commands)) {
      const from = performance.now();
      const env = { PATH: process.env.PATH, HOME: home, REFLOAT_HOME: home };
      const { status, stderr } = spawnSync(process.execPath, args, { cwd: root, env });
      times[name].push(performance.now() - from);
      if (status !== 0) throw new Error(`${name}: ${stderr}`);
      processor[name].push(processorMs(args, root, env));
    }
  }
  const base = median(times.empty);
  const alone = `; the parts alone ${(median(times.parts) / base).toFixed(2)}x, processor time ${(median(processor.parts) / median(processor.empty)).toFixed(2)}x (git ${seen.calls.length} times)`;
  return [
    { name: "version", what: "--version as a process, against an empty script", target: 1.3 },
    {
      name: "status",
      what: `bare status, ${FILES} files, ${SESSIONS} sessions, as a process, against an empty script`,
      target: 2.5,
    },
  ].map(({ name, what, target }) => ({
    goal: "P9",
    what,
    value: median(times[name]) / base,
    target,
    want: "at most",
    note: `p50 ${median(times[name]).toFixed(0)} ms against ${base.toFixed(0)} ms; processor time ${(median(processor[name]) / median(processor.empty)).toFixed(2)}x${name === "status" ? alone : ""}`,
  }));
}

/** User and system time of a process and its children, by bash, which waits for it alone. */
function processorMs(args, cwd, env) {
  const script = 'TIMEFORMAT="%3U %3S"; time "$@" >/dev/null 2>&1';
  const { stderr } = spawnSync("bash", ["-c", script, "bash", process.execPath, ...args], {
    cwd,
    env,
    encoding: "utf8",
  });
  const [user = Number.NaN, system = Number.NaN] = stderr.trim().split(" ").map(Number);
  return (user + system) * 1000;
}

async function oldSessions(dir, root) {
  const homes = { one: join(dir, "one"), many: join(dir, "many") };
  const counts = { one: 1, many: OLD_SESSIONS };
  const times = { one: [], many: [] };
  for (const [name, home] of Object.entries(homes)) {
    mkdirSync(home, { recursive: true });
    await sessionsIn(join(home, "refloat.db"), root, counts[name]);
  }
  for (let i = 0; i < ROUNDS; i++) {
    for (const [name, home] of Object.entries(homes)) {
      const from = performance.now();
      const env = { PATH: process.env.PATH, HOME: home, REFLOAT_HOME: home };
      const { status, stderr } = spawnSync(process.execPath, [BIN, "run", "--", "true"], { cwd: root, env });
      times[name].push(performance.now() - from);
      if (status !== 0) throw new Error(`run with ${name}: ${stderr}`);
    }
  }
  const [one, many] = [median(times.one), median(times.many)];
  return {
    goal: "P9",
    what: `\`run -- true\` as a process with ${OLD_SESSIONS} old sessions in the workspace, against one`,
    value: many / one,
    target: 3,
    want: "at most",
    note: `p50 ${many.toFixed(0)} ms against ${one.toFixed(0)} ms; recovery looks at each row once, and at nothing else of those that ended`,
  };
}

async function sessionsIn(path, root, count) {
  const store = await openStore(path, { thread: false });
  for (let i = 0; i < count; i++) {
    // Without captures: the look at each tree would be what is measured.
    const session = await store.begin({
      id: `old-${i}`,
      agent: "bench",
      workspace: root,
      captures: "off",
    });
    await (await session.turn("go")).end("completed");
    await session.finish();
  }
  await store.close();
}
