// P3: a hundred sessions in one process, each waiting for its own durability, against one writer: appends per second.
// Beside it the engine alone (prototypes/append.mjs), a hundred ready rows of a hundred sessions in one transaction against one.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "refloat";
import { bareAppend } from "./prototypes/append.mjs";
import { incompressibleText, median, scratchDirectory } from "./raw.mjs";

const SESSIONS = 100;
const ROUND_MS = 600;
const ROUNDS = 7;

async function rate(turns, text) {
  const untilMs = performance.now() + ROUND_MS;
  let appends = 0;
  const loop = async (turn) => {
    while (performance.now() < untilMs) {
      await turn.append({ role: "assistant", parts: text });
      appends++;
    }
  };
  const startedMs = performance.now();
  await Promise.all(turns.map(loop));
  return (appends * 1000) / (performance.now() - startedMs);
}

/** Rows per second of the engine alone. */
function bareRate(bare, rows) {
  const startedMs = performance.now();
  let done = 0;
  while (performance.now() < startedMs + ROUND_MS) {
    bare.run(done);
    done += rows;
  }
  return (done * 1000) / (performance.now() - startedMs);
}

async function measure(thread) {
  const dir = scratchDirectory("p3");
  const store = await openStore(join(dir, "store.db"), { thread });
  const turns = [];
  for (let i = 0; i < SESSIONS; i++)
    turns.push(await (await store.begin({ agent: "bench", workspace: dir, captures: "off" })).turn("go"));
  const text = incompressibleText(1024);
  const ratios = [];
  const rates = { one: [], many: [], bareOne: [], bareMany: [] };
  const bares = [bareAppend(dir, text.length), bareAppend(dir, text.length, SESSIONS)];
  for (let round = 0; round < ROUNDS; round++) {
    const one = await rate(turns.slice(0, 1), text);
    const many = await rate(turns, text);
    ratios.push(many / one);
    rates.one.push(one);
    rates.many.push(many);
    rates.bareOne.push(bareRate(bares[0], 1));
    rates.bareMany.push(bareRate(bares[1], SESSIONS));
  }
  await store.close();
  for (const bare of bares) bare.close();
  rmSync(dir, { recursive: true });
  return {
    ratio: median(ratios),
    one: median(rates.one),
    many: median(rates.many),
    bare: { one: median(rates.bareOne), many: median(rates.bareMany) },
    range: [Math.min(...ratios), Math.max(...ratios)],
  };
}

export async function run() {
  const rows = [];
  for (const thread of [false, true]) {
    const { ratio, one, many, range, bare } = await measure(thread);
    const note = `${Math.round(many)}/s against ${Math.round(one)}/s; rounds ${range[0].toFixed(1)} to ${range[1].toFixed(1)}; the engine alone ${Math.round(bare.many)}/s against ${Math.round(bare.one)}/s, ${(bare.many / bare.one).toFixed(1)}x`;
    rows.push({
      goal: "P3",
      what: `${SESSIONS} sessions in one process against one writer, ${thread ? "worker thread" : "direct driver"}`,
      value: ratio,
      target: 12,
      want: "at least",
      note,
    });
  }
  return rows;
}
