// @ts-check
/**
 * Messages saved per second by eight processes on one Postgres, each into a conversation of its own, one after the other: refloat, DBOS and
 * LangGraph's Postgres saver through their own API, on the same server with its default settings (fsync and synchronous_commit on), in turns, in one run.
 *   node bench/peers/postgres-appends.mjs [--ms 4000] [--rounds 3]
 * Needs what run.mjs installs. Each round has every one of them once; the figure is the median of the rounds, with the lowest and the highest.
 */
import { fork, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { startPostgres } from "./postgres.mjs";
import { peerEnvironment, sandbox } from "./sandbox.mjs";

const PROCESSES = 8;
const WHO = /** @type {const} */ (["refloat", "dbos", "langgraph"]);
const CHILD = resolve(import.meta.dirname, "postgres-appends-child.mjs");
const DIST = resolve(import.meta.dirname, "../../dist/index.js");

/** @param {string} name @param {number} otherwise */
const option = (name, otherwise) => {
  const at = process.argv.indexOf(name);
  return at === -1 ? otherwise : Number(process.argv[at + 1]);
};

if (process.env.REFLOAT_BENCH_BOXED !== "1") {
  const box = sandbox(process.argv);
  if (box.kind === "failed") throw new Error(box.reason);
  const [command, args] = box.wrap(process.execPath, process.argv.slice(1));
  const ran = spawnSync(command, args, {
    stdio: "inherit",
    env: { ...process.env, REFLOAT_BENCH_BOXED: "1" },
  });
  process.exit(ran.status ?? 1);
}

const runMs = option("--ms", 4000);
const rounds = option("--rounds", 3);
const folder = mkdtempSync(join(tmpdir(), "refloat-bench-"));
// The server runs as nobody, who must be able to go in.
spawnSync("chmod", ["755", folder]);
const server = await startPostgres(folder);
const env = peerEnvironment(folder);
/** @type {Record<string, number[]>} */
const perSecond = { refloat: [], dbos: [], langgraph: [] };
try {
  for (const who of WHO) await prepare(who);
  for (let round = 0; round < rounds; round++)
    for (const who of WHO) perSecond[who]?.push(await measured(who));
} finally {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** @param {string} who */
async function prepare(who) {
  // What each makes at its first start is made by one alone, before anything is measured.
  await all(who, 1, 200);
}

/** @param {string} who */
async function measured(who) {
  const appends = await all(who, PROCESSES, runMs);
  return appends / (runMs / 1000);
}

/** @param {string} who @param {number} processes @param {number} ms */
async function all(who, processes, ms) {
  const children = Array.from({ length: processes }, () =>
    fork(CHILD, [who, server.url(who === "dbos" ? "bench_dbos" : "postgres"), String(ms), DIST], { env }),
  );
  const message = (/** @type {import("node:child_process").ChildProcess} */ child) =>
    new Promise((done, failed) => {
      child.once("message", done);
      child.once("exit", (code) => failed(new Error(`${who}: a process ended with ${code}`)));
    });
  await Promise.all(children.map(message));
  const counted = Promise.all(children.map(message));
  for (const child of children) child.send("go");
  const told = /** @type {{ appends: number }[]} */ (await counted);
  await Promise.all(
    children.map((child) =>
      child.exitCode === null ? new Promise((ended) => child.once("exit", ended)) : null,
    ),
  );
  return told.reduce((sum, { appends }) => sum + appends, 0);
}

const sorted = Object.entries(perSecond).map(([who, rates]) => ({
  who,
  rates: rates.toSorted((a, b) => a - b),
}));
/** @param {number[]} rates */
const median = (rates) => rates[Math.floor(rates.length / 2)] ?? 0;
const own = median(sorted[0]?.rates ?? []);
console.log(
  `${PROCESSES} processes on one Postgres, messages of 1 KiB saved per second, median of ${rounds} rounds of ${runMs} ms (lowest to highest)`,
);
for (const { who, rates } of sorted)
  console.log(
    `  ${who.padEnd(10)} ${median(rates).toFixed(0).padStart(6)}/s  (${rates[0]?.toFixed(0)} to ${rates.at(-1)?.toFixed(0)})  refloat is ${(own / median(rates)).toFixed(2)} times that`,
  );
const out = resolve(import.meta.dirname, "../out");
mkdirSync(out, { recursive: true });
writeFileSync(
  join(out, "postgres-appends.json"),
  `${JSON.stringify({ processes: PROCESSES, runMs, rounds, perSecond }, null, 2)}\n`,
);
const isAhead = sorted.slice(1).every(({ rates }) => own > median(rates));
console.log(isAhead ? "ahead of both" : "NOT ahead of both");
process.exitCode = isAhead ? 0 : 1;
