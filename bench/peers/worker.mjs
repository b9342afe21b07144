// @ts-check
/**
 * Measures one peer in a process of its own: `worker.mjs time|syncs <peer> <dir> <result file>`. The result is
 * rewritten after every cell, so that a peer that runs out of time still leaves what was measured.
 *
 * The store is made, closed and opened again before anything is measured: what a fresh SQLite connection answers
 * to `PRAGMA synchronous` and what it does can change with its first write, and users live in opened stores.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { incompressibleText, interleave, rawAppend, rawAppendP50, syncMark } from "../raw.mjs";
import { PEERS } from "./peers.mjs";

const SIZES = [1024, 20 * 1024];
const DEPTHS = [10, 100, 1000, 5000];
/** The greatest depth is left out for a peer whose cost at the one before is above this many times its first. */
const STAYS_FAST = 2;
const ROUNDS = 5;
const OPS_PER_BLOCK = 10;
const TURNS = { blocksPerRound: 2 };
const RAW_ALONE_OPS = 100;
const TEXTS = 32;
/** Messages whose syncs are counted, at this depth; enough that one checkpoint of a log is told from a habit. */
const COUNTED_MESSAGES = 100;
const COUNTED_DEPTH = 10;

const [mode, id, dir = "", resultFile = ""] = process.argv.slice(2);
const peer = PEERS.find((candidate) => candidate.id === id);
if (peer === undefined || (mode !== "time" && mode !== "syncs")) throw new Error(`unknown: ${mode} ${id}`);
const { open } = await import(peer.adapter);
const place = join(dir, "store");
mkdirSync(place);
/** @type {import("./peers.mjs").Store} */
const first = await open(place, peer.options);
await first.withConversation(1, texts(1024), async (append) => void (await append()));
await first.close();
/** @type {import("./peers.mjs").Store} */
const store = await open(place, peer.options);
await (mode === "time" ? time() : countable());
await store.close();
process.exit(0);

async function time() {
  const rawAlone = Object.fromEntries(SIZES.map((bytes) => [bytes, rawAppendP50(bytes, RAW_ALONE_OPS, dir)]));
  /** @type {{ bytes: number, depth: number, p50Us: number, rawP50Us: number, ratio: object }[]} */
  const cells = [];
  for (const bytes of SIZES) {
    for (const depth of DEPTHS) {
      const before = cells.filter((cell) => cell.bytes === bytes);
      const growth = (before.at(-1)?.p50Us ?? 0) / (before[0]?.p50Us ?? 1);
      if (depth === DEPTHS.at(-1) && growth > STAYS_FAST) continue;
      const raw = rawAppend(dir, bytes);
      await store.withConversation(depth, texts(bytes), async (append) => {
        const { variants } = await interleave(
          [raw, { name: "peer", run: append }],
          ROUNDS,
          OPS_PER_BLOCK,
          TURNS,
        );
        const { raw: reference, peer: ours } = variants;
        if (reference === undefined || ours === undefined) throw new Error("interleave lost a variant");
        cells.push({ bytes, depth, p50Us: ours.p50Us, rawP50Us: reference.p50Us, ratio: ours.ratio });
      });
      raw.close();
      writeFileSync(resultFile, JSON.stringify({ rawAloneP50Us: rawAlone, cells }));
    }
  }
}

async function countable() {
  for (const bytes of SIZES) {
    await store.withConversation(COUNTED_DEPTH, texts(bytes), async (append) => {
      await append();
      syncMark(String(bytes), "begin");
      for (let message = 0; message < COUNTED_MESSAGES; message += 1) await append();
      syncMark(String(bytes), "end");
    });
  }
  writeFileSync(resultFile, JSON.stringify({ messages: COUNTED_MESSAGES }));
}

/** @param {number} bytes */
function texts(bytes) {
  const made = Array.from({ length: TEXTS }, () => incompressibleText(bytes));
  let next = 0;
  return () => made[next++ % TEXTS] ?? "";
}
