// @ts-check
/**
 * What a saved message costs in the peers, through their own API, beside raw write+fdatasync on the same disk in
 * the same turns, and how many syncs it really takes. Prints a table and writes bench/out/peers.json.
 *
 * B1. No number is invented: a peer that cannot be installed, started or finished is named with the reason.
 * B2. A peer sees nothing of the user's and reaches nothing but loopback, unless asked (sandbox.mjs).
 */
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { cpus, release } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { countSyncs, OUT, scratchDirectory } from "../raw.mjs";
import { runToEnd } from "../run-to-end.mjs";
import { install, installedVersion } from "./install.mjs";
import { PEERS } from "./peers.mjs";
import { peerEnvironment, sandbox } from "./sandbox.mjs";
import { table } from "./table.mjs";

const WORKER = join(dirname(fileURLToPath(import.meta.url)), "worker.mjs");
/** The whole run, installing apart; what is left of it bounds every child. About 80 s are used on a fast disk. */
const RUN_LIMIT_MS = 230_000;
const CHILD_LIMIT_MS = 60_000;
const LAST_WORDS = 400;
/** Beyond what the same raw appends vary by themselves, so their ratio needs a word of warning. */
const RAW_DISTURBED = 2;

process.once("SIGINT", () => process.exit(130));
process.once("SIGTERM", () => process.exit(143));

const say = (/** @type {string} */ line) => process.stderr.write(`${line}\n`);
const installation = await install(say);
const started = performance.now();
const network = sandbox(process.argv.slice(2));

/** @type {import("./table.mjs").Outcome[]} */
const outcomes = [];
for (const peer of PEERS) {
  say(`measuring ${peer.title}`);
  const named = { id: peer.id, title: peer.title, package: peer.package, unit: peer.unit };
  const version = installedVersion(peer.package) ?? "not installed";
  const outcome =
    installation.kind === "failed"
      ? installation
      : network.kind === "failed"
        ? network
        : await measure(peer, installation.node, network);
  if (outcome.kind === "failed") {
    say(`SKIPPED ${peer.title}: ${outcome.reason}`);
    outcomes.push({ ...named, version, kind: "skipped", reason: outcome.reason });
  } else outcomes.push({ ...named, version, ...outcome });
}

mkdirSync(OUT, { recursive: true });
const machine = {
  kernel: release(),
  cpus: cpus().length,
  fileSystemType: `0x${statfsSync(OUT).type.toString(16)}`,
};
const report = {
  schema_version: 1,
  machine,
  network: network.kind === "boxed" ? network.network : "none",
  peers: outcomes,
};
writeFileSync(join(OUT, "peers.json"), `${JSON.stringify(report, undefined, 2)}\n`);
process.stdout.write(`${table(outcomes)}\n`);
say(`${Math.round((performance.now() - started) / 1000)} s; details in ${join(OUT, "peers.json")}`);
process.exitCode = outcomes.some((outcome) => outcome.kind === "measured") ? 0 : 1;

/**
 * @param {import("./peers.mjs").Peer} peer
 * @param {string} node
 * @param {import("./sandbox.mjs").Boxed} box
 */
async function measure(peer, node, box) {
  const timed = await inScratch(peer, async (dir, result) => {
    const [command, args] = box.wrap(node, [WORKER, "time", peer.id, dir, result]);
    return runToEnd(command, args, peerEnvironment(dir), { timeoutMs: timeLeftMs() });
  });
  if (timed.result === undefined) {
    return /** @type {const} */ ({ kind: "failed", reason: howItEnded(timed.ended) });
  }
  const unfinished = timed.ended.exitCode === 0 ? [] : [`incomplete: ${howItEnded(timed.ended)}`];
  const version = await runToEnd(node, ["--version"], {});
  return /** @type {const} */ ({
    kind: "measured",
    node: version.stdout.trim(),
    rawAloneP50Us: timed.result.rawAloneP50Us,
    cells: timed.result.cells,
    syncs: await syncRows(peer, node, box),
    notes: [...unfinished, ...flatteredRatios(timed.result)],
  });
}

/**
 * A peer that does not sync leaves its writes to whoever syncs next, and here that is raw: its time goes up and
 * the peer's ratio down. A busy disk does the same. Where it shows, the reader is told.
 * @param {{ rawAloneP50Us: Record<string, number>, cells: import("./table.mjs").Cell[] }} timed
 */
function flatteredRatios({ rawAloneP50Us, cells }) {
  return cells.flatMap(({ bytes, depth, p50Us, rawP50Us }) => {
    const alone = rawAloneP50Us[bytes] ?? Number.NaN;
    if (!(rawP50Us > alone * RAW_DISTURBED)) return [];
    const [slowed, ratio] = [rawP50Us / alone, p50Us / alone].map((value) => value.toFixed(1));
    return [
      `${bytes / 1024} KiB at ${depth}: raw took ${slowed}x its time alone, against which this is ${ratio}x`,
    ];
  });
}

/**
 * @param {import("./peers.mjs").Peer} peer
 * @param {string} node
 * @param {import("./sandbox.mjs").Boxed} box
 */
async function syncRows(peer, node, box) {
  const counting = await inScratch(peer, async (dir, result) => {
    const [command, args] = box.wrap(node, [WORKER, "syncs", peer.id, dir, result]);
    return countSyncs(command, args, peerEnvironment(dir), { timeoutMs: timeLeftMs() });
  });
  const { ended, result } = counting;
  if (ended.kind === "unavailable") return { unavailable: ended.reason };
  if (result === undefined) return { unavailable: howItEnded(ended) };
  return Object.entries(ended.spans).map(([bytes, span]) => {
    /** @type {Record<string, number>} */
    const byFile = {};
    for (const [path, count] of Object.entries(span.byPath)) {
      byFile[basename(path)] = (byFile[basename(path)] ?? 0) + count;
    }
    return {
      bytes: Number(bytes),
      perMessage: span.total / result.messages,
      bySyscall: span.bySyscall,
      byFile,
    };
  });
}

/**
 * @template T
 * @param {import("./peers.mjs").Peer} peer
 * @param {(dir: string, resultFile: string) => Promise<T>} run
 */
async function inScratch(peer, run) {
  const dir = scratchDirectory(`peer-${peer.id}`);
  // A database server that refuses to run as root has to reach its data as somebody else.
  chmodSync(dir, 0o755);
  const resultFile = join(dir, "result.json");
  const remove = () => rmSync(dir, { recursive: true, maxRetries: 5 });
  process.once("exit", remove);
  // What the install and the peer before left unwritten must not be charged to this one.
  spawnSync("sync");
  try {
    const ended = await run(dir, resultFile);
    const result = existsSync(resultFile) ? JSON.parse(readFileSync(resultFile, "utf8")) : undefined;
    return { ended, result };
  } finally {
    process.removeListener("exit", remove);
    remove();
  }
}

function timeLeftMs() {
  return Math.max(1, Math.min(CHILD_LIMIT_MS, RUN_LIMIT_MS - (performance.now() - started)));
}

/** @param {import("../run-to-end.mjs").Ended} ended */
function howItEnded(ended) {
  if (ended.timedOut) {
    return `not finished within its ${CHILD_LIMIT_MS / 1000} s or what was left of the run's ${RUN_LIMIT_MS / 1000} s`;
  }
  const error = ended.stderr.split("\n").find((line) => /^\w*Error\b/.test(line));
  return `ended with ${ended.exitCode ?? "a signal"}: ${error ?? ended.stderr.trim().slice(-LAST_WORDS)}`;
}
