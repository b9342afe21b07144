// P1: durable append, one writer, p50 against raw write+fdatasync in the same run, interleaved.
// What is appended: a message through the library's own `turn.append`, acknowledged before the next begins.
// Beside it, in the same turns, the engine alone (prototypes/append.mjs): no store over these tables can be quicker than that.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "refloat";
import { bareAppend } from "./prototypes/append.mjs";
import { incompressibleText, interleave, rawAppend, scratchDirectory } from "./raw.mjs";

const ROUNDS = 9;
const OPS_PER_BLOCK = 20;

async function writer(dir, bytes, thread) {
  const name = thread ? "thread" : "direct";
  const store = await openStore(join(dir, `${name}.db`), { thread });
  const session = await store.begin({ agent: "bench", workspace: dir, captures: "off" });
  const turn = await session.turn("go");
  const text = incompressibleText(bytes);
  return { name, run: () => turn.append({ role: "assistant", parts: text }), close: () => store.close() };
}

async function measure(bytes) {
  const dir = scratchDirectory(`p1-${bytes}`);
  const variants = [
    rawAppend(dir, bytes),
    bareAppend(dir, bytes),
    await writer(dir, bytes, false),
    await writer(dir, bytes, true),
  ];
  const result = await interleave(variants, ROUNDS, OPS_PER_BLOCK, { blocksPerRound: 6, warmUpOps: 1000 });
  for (const variant of variants) await variant.close();
  rmSync(dir, { recursive: true });
  return result.variants;
}

function row(what, goal, timing, { raw, bare }) {
  const { median, min, max } = timing.ratio;
  const note = `p50 ${Math.round(timing.p50Us)} us against ${Math.round(raw.p50Us)} us; rounds ${min.toFixed(2)} to ${max.toFixed(2)}; the engine alone ${bare.ratio.median.toFixed(2)}x (${Math.round(bare.p50Us)} us), of which ours is ${(timing.p50Us / bare.p50Us).toFixed(2)}x`;
  return { goal: "P1", what, value: median, target: goal, want: "at most", note };
}

export async function run() {
  const small = await measure(1024);
  const large = await measure(20 * 1024);
  return [
    row("append 1 KiB, direct driver, against raw write+fdatasync", 1.3, small.direct, small),
    row("append 20 KiB, direct driver, against raw write+fdatasync", 1.2, large.direct, large),
    row("append 1 KiB, worker thread, against raw write+fdatasync", 2.2, small.thread, small),
  ];
}
