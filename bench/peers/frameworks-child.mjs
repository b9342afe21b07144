// @ts-check
/** One process of frameworks.mjs: `frameworks-child.mjs TASK PEER DIR [start at, ms]`; the last line of stdout is what was measured, as JSON. */
import { setTimeout as sleep } from "node:timers/promises";
import { incompressibleText, interleave, median, rawAppend } from "../raw.mjs";
import { ON_POSTGRES, PEERS } from "./peers.mjs";

const BYTES = 1024;
const DEPTHS = /** @type {const} */ ([10, 1000]);
const SESSIONS = 100;
const ROUNDS = 5;
const ROUND_MS = 500;
const RUN_MS = 1000;

const [task = "", id = "", dir = "", startAtMs = "0"] = process.argv.slice(2);
const peer = [...PEERS, ...ON_POSTGRES].find((one) => one.id === id);
if (!peer) throw new Error(`unknown: ${id}`);
const { open } = await import(peer.adapter);
/** @type {import("./peers.mjs").Store} */
const store = await open(dir, peer.options);
const texts = Array.from({ length: 16 }, () => incompressibleText(BYTES));
let turn = 0;
const text = () => texts[turn++ % texts.length] ?? "";

/** What each makes at its first start is made by one alone. */
const prepare = async () => null;
const TASKS = { prepare, appends, sessions, process: asProcess, reads };
const measured = await TASKS[/** @type {keyof typeof TASKS} */ (task)]();
await store.close();
console.log(JSON.stringify(measured));
process.exit(0);

/** P1 and P2: one message, against raw, at two depths. */
async function appends() {
  /** @type {Record<string, unknown>} */
  const cells = {};
  for (const depth of DEPTHS) {
    const raw = rawAppend(dir, BYTES);
    await store.withConversation(depth, text, async (append) => {
      const { variants } = await interleave([raw, { name: "peer", run: append }], ROUNDS, 10, {
        blocksPerRound: 2,
      });
      cells[depth] = { ratio: variants.peer?.ratio, p50Us: variants.peer?.p50Us };
    });
    raw.close();
  }
  return cells;
}

/** @param {(() => unknown)[]} loops @param {number} ms */
async function rate(loops, ms) {
  const startedMs = performance.now();
  let done = 0;
  await Promise.all(
    loops.map(async (append) => {
      while (performance.now() < startedMs + ms) {
        await append();
        done++;
      }
    }),
  );
  return (done * 1000) / (performance.now() - startedMs);
}

/** P3: a hundred conversations in one process, each waiting for its own, against one. */
async function sessions() {
  /** @type {(() => unknown)[]} */
  const loops = [];
  /** @type {(() => void)[]} */
  const ends = [];
  const opened = Array.from({ length: SESSIONS }, () =>
    store.withConversation(10, text, (append) => {
      loops.push(append);
      return new Promise((resolve) => ends.push(() => resolve(undefined)));
    }),
  );
  while (loops.length < SESSIONS) await sleep(5);
  const found = { one: /** @type {number[]} */ ([]), many: /** @type {number[]} */ ([]) };
  for (let round = 0; round < ROUNDS; round++) {
    found.one.push(await rate(loops.slice(0, 1), ROUND_MS));
    found.many.push(await rate(loops, ROUND_MS));
  }
  for (const end of ends) end();
  await Promise.all(opened);
  return { one: median(found.one), many: median(found.many) };
}

/** P4: one of several on the same file. */
async function asProcess() {
  /** @type {number[]} */
  const waits = [];
  await store.withConversation(10, text, async (append) => {
    await sleep(Math.max(0, Number(startAtMs) - Date.now()));
    const untilMs = performance.now() + RUN_MS;
    while (performance.now() < untilMs) {
      const startedMs = performance.now();
      await append();
      waits.push(performance.now() - startedMs);
    }
  });
  return { appends: waits.length, worstMs: Math.max(...waits) };
}

/** P5: reading a conversation whole, as a framework does that goes on with it. */
async function reads() {
  if (!store.reader) return null;
  const [short, long] = [await store.reader(DEPTHS[0], text), await store.reader(DEPTHS[1], text)];
  const { variants } = await interleave(
    [
      { name: "short", run: short },
      { name: "long", run: long },
    ],
    ROUNDS,
    10,
  );
  return { shortUs: variants.short?.p50Us, longUs: variants.long?.p50Us };
}
