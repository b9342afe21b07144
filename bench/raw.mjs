// @ts-check
/**
 * The physical limit our numbers are divided by, and the two ways of measuring against it.
 *
 * R1. Only ratios and counts are claims. A disk's microseconds do not transfer to another disk, so every
 *     timing stands beside raw write+fdatasync measured in the same process, on the same file system, in turn.
 * R2. p50, never the mean: on a shared machine a 4 ms scheduler quantum lands in some operations of every run.
 * R3. Variants take turns in short blocks, and the order is reversed every other round, so that a slow spell
 *     of the machine hits all of them. The ratio is the median of the per-round ratios; their range is the
 *     honest error bar. Differences inside that range are not claims.
 * R4. A time without its sync count says nothing about durability: what does not sync is always fast. Syncs
 *     are counted from outside, by strace, and attributed to files.
 *
 *   const dir = scratchDirectory("p1");
 *   const raw = rawAppend(dir, 1024);
 *   const result = await interleave([raw, { name: "ours", run: (i) => session.append(messages[i]) }], 5, 20);
 *   result.variants.ours.ratio;                    // { median, min, max } against "raw"
 *   raw.close();
 *
 *   const counted = await countSyncs("node", ["bench/p2-child.mjs"], process.env);
 *   if (counted.kind === "counted") counted.spans.appends.total;   // between syncMark("appends", ...) calls
 */
import { randomBytes } from "node:crypto";
import {
  closeSync,
  fdatasyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  statfsSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export { countSyncs, syncMark } from "./count-syncs.mjs";

/** Results and scratch files live here: on the disk that holds the sources, not in a /tmp that may be memory. */
export const OUT = join(dirname(fileURLToPath(import.meta.url)), "out");

/** Types from statfs(2) on which a sync costs nothing, so that every ratio would be meaningless. */
const MEMORY_FILE_SYSTEMS = new Map([
  [0x01021994, "tmpfs"],
  [0x858458f6, "ramfs"],
]);

/**
 * @typedef {{ name: string, run: (index: number) => unknown, beforeBlock?: (round: number) => unknown }} Variant
 *   `run` is timed, one call per operation (a promise is awaited); `index` counts up and never repeats within
 *   one call of interleave. `beforeBlock` is not timed.
 * @typedef {{ median: number, min: number, max: number }} Range
 * @typedef {{ p50Us: number, ops: number, roundP50Us: number[], ratio: Range }} Timing
 * @typedef {{ reference: string, rounds: number, variants: Record<string, Timing> }} Interleaved
 */

/**
 * A fresh directory under bench/out; the caller removes it. Throws on a file system in memory.
 * @param {string} name
 */
export function scratchDirectory(name) {
  mkdirSync(OUT, { recursive: true });
  const memory = MEMORY_FILE_SYSTEMS.get(statfsSync(OUT).type);
  if (memory !== undefined)
    throw new Error(`${OUT} is on ${memory}: syncs cost nothing there, no ratio would mean anything`);
  return mkdtempSync(join(OUT, `${name}-`));
}

/**
 * Text of exactly `bytes` bytes that does not compress, so that a store that compresses has no advantage.
 * @param {number} bytes
 */
export function incompressibleText(bytes) {
  return randomBytes(bytes).toString("base64").slice(0, bytes);
}

/**
 * The reference as a variant for interleave(): one O_APPEND write of `bytes` bytes, then fdatasync, on this
 * thread. `close` also removes the file.
 * @param {string} dir
 * @param {number} bytes
 * @param {string} [name]
 * @returns {Variant & { close: () => void }}
 */
export function rawAppend(dir, bytes, name = "raw") {
  const path = join(mkdtempSync(join(dir, "raw-")), "journal");
  const fd = openSync(path, "a");
  const line = Buffer.from(`${incompressibleText(bytes - 1)}\n`);
  return {
    name,
    run: () => {
      writeSync(fd, line);
      fdatasyncSync(fd);
    },
    close: () => {
      closeSync(fd);
      rmSync(dirname(path), { recursive: true });
    },
  };
}

/**
 * p50 in microseconds of `n` raw appends of `bytes` bytes with nothing else going on in this process.
 * @param {number} bytes
 * @param {number} n
 * @param {string} [dir] where; a scratch directory of its own when left out
 */
export function rawAppendP50(bytes, n, dir) {
  const place = dir ?? scratchDirectory("raw");
  const raw = rawAppend(place, bytes);
  /** @type {number[]} */
  const times = [];
  for (let index = 0; index < n; index += 1) {
    const started = performance.now();
    raw.run(index);
    times.push(performance.now() - started);
  }
  raw.close();
  if (dir === undefined) rmSync(place, { recursive: true });
  return median(times) * 1000;
}

/**
 * Times the variants in turn (R3). The first is the reference of every ratio.
 * @param {Variant[]} variants
 * @param {number} rounds at least 3, or the range means nothing
 * @param {number} opsPerBlock 10 to 20: short enough that a slow spell covers a whole round
 * @param {{ blocksPerRound?: number, warmUpOps?: number }} [options] more blocks for operations so fast that
 *   one block is noise; warm-up operations run before the first round and are not counted
 * @returns {Promise<Interleaved>}
 */
export async function interleave(variants, rounds, opsPerBlock, options = {}) {
  const { blocksPerRound = 1, warmUpOps = 3 } = options;
  const lanes = variants.map((variant) => ({ variant, next: 0, rounds: /** @type {number[][]} */ ([]) }));
  const reference = lanes[0];
  if (reference === undefined) throw new Error("interleave needs at least one variant");
  for (const lane of lanes) await block(lane, warmUpOps, 0);
  for (let round = 0; round < rounds; round += 1) {
    for (const lane of lanes) lane.rounds.push([]);
    for (let turn = 0; turn < blocksPerRound; turn += 1) {
      const order = (round + turn) % 2 === 0 ? lanes : lanes.toReversed();
      for (const lane of order) lane.rounds[round]?.push(...(await block(lane, opsPerBlock, round)));
    }
  }
  const referenceP50s = reference.rounds.map(median);
  const timings = lanes.map((lane) => {
    const roundP50s = lane.rounds.map(median);
    const ratios = roundP50s.map((p50, round) => p50 / (referenceP50s[round] ?? Number.NaN));
    /** @type {Timing} */
    const timing = {
      p50Us: median(lane.rounds.flat()) * 1000,
      ops: lane.rounds.flat().length,
      roundP50Us: roundP50s.map((p50) => p50 * 1000),
      ratio: { median: median(ratios), min: Math.min(...ratios), max: Math.max(...ratios) },
    };
    return /** @type {const} */ ([lane.variant.name, timing]);
  });
  return { reference: reference.variant.name, rounds, variants: Object.fromEntries(timings) };
}

/**
 * @param {{ variant: Variant, next: number }} lane
 * @param {number} ops
 * @param {number} round
 */
async function block(lane, ops, round) {
  await lane.variant.beforeBlock?.(round);
  /** @type {number[]} */
  const times = [];
  for (let done = 0; done < ops; done += 1) {
    const index = lane.next++;
    const started = performance.now();
    const pending = lane.variant.run(index);
    // A synchronous variant is not charged for a trip through the microtask queue.
    if (isThenable(pending)) await pending;
    times.push(performance.now() - started);
  }
  return times;
}

/** @param {unknown} value */
function isThenable(value) {
  return typeof value === "object" && value !== null && "then" in value;
}

/** @param {readonly number[]} values */
export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}
