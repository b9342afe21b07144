// @ts-check
/**
 * P1 to P5 of frameworks' own stores and of ours behind the same calls, as shipped and made durable, in one run on one disk.
 *   node bench/peers/frameworks.mjs
 * Needs what run.mjs installs and `npm run build`. Ratios and counts are to be compared; what a store does not sync is always fast (the table says which).
 * Prints a table; everything goes to bench/out/frameworks.json.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { OUT } from "../raw.mjs";
import { runToEnd } from "../run-to-end.mjs";
import { install } from "./install.mjs";
import { ON_POSTGRES, PEERS } from "./peers.mjs";
import { startPostgres } from "./postgres.mjs";
import { peerEnvironment, sandbox } from "./sandbox.mjs";

const ALL = [...PEERS, ...ON_POSTGRES];
const WHO = [
  ...["langgraph", "langgraph-full", "langgraph-refloat", "langgraph-postgres", "langgraph-refloat-postgres"],
  ...["mastra", "mastra-refloat"],
];
const PROCESSES = 8;
const ROUNDS = 3;
const CHILD = join(import.meta.dirname, "frameworks-child.mjs");
const LIMIT_MS = 90_000;
/** So that every process has loaded and opened. */
const LOADS_MS = 4000;
const SYNCED = new Set([
  ...["langgraph-full", "langgraph-refloat", "langgraph-postgres", "langgraph-refloat-postgres"],
  "mastra-refloat",
]);

const say = (/** @type {string} */ line) => process.stderr.write(`${line}\n`);
const installation = await install(say);
if (installation.kind === "failed") throw new Error(installation.reason);
const { node } = installation;
// All of it in one box: several processes share the one server.
if (process.env.REFLOAT_BENCH_BOXED !== "1") {
  const box = sandbox(process.argv.slice(2));
  if (box.kind === "failed") throw new Error(box.reason);
  const [command, words] = box.wrap(process.execPath, process.argv.slice(1));
  const boxed = { ...process.env, REFLOAT_BENCH_BOXED: "1" };
  process.exit(spawnSync(command, words, { stdio: "inherit", env: boxed }).status ?? 1);
}
mkdirSync(OUT, { recursive: true });
const servers = mkdtempSync(join(tmpdir(), "refloat-bench-"));
chmodSync(servers, 0o755); // the server runs as nobody, who must be able to go in
const server = await startPostgres(servers);
let schemas = 0;

/** @param {NodeJS.ProcessEnv} env @param {string[]} args */
async function child(env, ...args) {
  const ended = await runToEnd(node, [CHILD, ...args], env, { timeoutMs: LIMIT_MS });
  if (ended.exitCode !== 0)
    return {
      failed:
        ended.stderr
          .trim()
          .split("\n")
          .find((line) => /Error/.test(line)) ?? "it did not end",
    };
  return JSON.parse(ended.stdout.trim().split("\n").at(-1) ?? "null");
}

/** @template T @param {(dir: string, env: NodeJS.ProcessEnv) => Promise<T>} use */
async function inScratch(use) {
  const dir = mkdtempSync(join(OUT, "frameworks-"));
  const postgres = { BENCH_POSTGRES: server.url("postgres"), BENCH_SCHEMA: `bench_${++schemas}` };
  return use(dir, { ...peerEnvironment(dir), ...postgres }).finally(() =>
    rmSync(dir, { recursive: true, force: true }),
  );
}

/** @param {string} id */
async function processes(id) {
  const rounds = [];
  for (let round = 0; round < ROUNDS; round++) {
    const together = (/** @type {number} */ count) =>
      inScratch(async (dir, env) => {
        await child(env, "prepare", id, dir);
        const startAtMs = String(Date.now() + LOADS_MS);
        return Promise.all(Array.from({ length: count }, () => child(env, "process", id, dir, startAtMs)));
      });
    const [alone] = await together(1);
    const all = await together(PROCESSES);
    const failed = [alone, ...all].find((one) => one.failed);
    if (failed) return failed;
    const total = all.reduce((sum, { appends }) => sum + appends, 0);
    rounds.push({ ratio: total / alone.appends, worstMs: Math.max(...all.map(({ worstMs }) => worstMs)) });
  }
  rounds.sort((a, b) => a.ratio - b.ratio);
  return rounds[Math.floor(rounds.length / 2)];
}

const loadBefore = loadavg()[0];
/** @type {Record<string, any>} */
const found = {};
for (const id of WHO) {
  say(`measuring ${id}`);
  found[id] = {
    appends: await inScratch((dir, env) => child(env, "appends", id, dir)),
    sessions: await inScratch((dir, env) => child(env, "sessions", id, dir)),
    processes: await processes(id),
    reads: await inScratch((dir, env) => child(env, "reads", id, dir)),
  };
}
await server.stop();
rmSync(servers, { recursive: true, force: true });
writeFileSync(join(OUT, "frameworks.json"), `${JSON.stringify(found, undefined, 2)}\n`);

console.log(`Load before ${loadBefore?.toFixed(1)}, after ${loadavg()[0]?.toFixed(1)}.\n`);
/** @param {any} cell @param {(cell: any) => string} words */
const shown = (cell, words) => (cell?.failed ? `failed: ${cell.failed.slice(0, 60)}` : words(cell));
const x = (/** @type {number} */ value) => `${value.toFixed(value < 10 ? 2 : 0)}x`;
console.log(
  "| store | synced | P1 one message | P2 at 1,000 against 10 | P3 100 conversations against one | P4 8 processes against one, worst wait | P5 read 1,000 against 10 |",
);
console.log("|---|---|---|---|---|---|---|");
for (const id of WHO) {
  const { appends, sessions, processes: many, reads } = found[id];
  console.log(
    `| ${ALL.find((peer) => peer.id === id)?.title} | ${SYNCED.has(id) ? "yes" : "no"} | ${[
      shown(appends, (cell) => `${x(cell[10].ratio.median)} raw`),
      shown(appends, (cell) => x(cell[1000].p50Us / cell[10].p50Us)),
      shown(sessions, ({ one, many: all }) => `${x(all / one)}, ${Math.round(all)}/s`),
      shown(many, ({ ratio, worstMs }) => `${x(ratio)}, ${Math.round(worstMs)} ms`),
      shown(reads, ({ shortUs, longUs }) => `${x(longUs / shortUs)}, ${(longUs / 1000).toFixed(1)} ms`),
    ].join(" | ")} |`,
  );
}
