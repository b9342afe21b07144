// P2: the cost of an append must not grow with the session: at message 5,000 against message 10.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "refloat";
import { incompressibleText, interleave, scratchDirectory } from "./raw.mjs";

const SHORT = 10;
const LONG = 5000;
const FILL_AT_ONCE = 100;

async function sessionOf(store, dir, name, messages) {
  const session = await store.begin({ agent: "bench", workspace: dir, captures: "off" });
  const turn = await session.turn("go");
  const text = incompressibleText(1024);
  const append = () => turn.append({ role: "assistant", parts: text });
  for (let done = 0; done < messages; done += FILL_AT_ONCE) {
    await Promise.all(Array.from({ length: Math.min(FILL_AT_ONCE, messages - done) }, append));
  }
  return { name, run: append };
}

export async function run() {
  const dir = scratchDirectory("p2");
  const store = await openStore(join(dir, "store.db"), { thread: false });
  const variants = [await sessionOf(store, dir, "short", SHORT), await sessionOf(store, dir, "long", LONG)];
  const { long, short } = (await interleave(variants, 9, 20, { blocksPerRound: 4 })).variants;
  await store.close();
  rmSync(dir, { recursive: true });
  const note = `p50 ${Math.round(long.p50Us)} us against ${Math.round(short.p50Us)} us; rounds ${long.ratio.min.toFixed(2)} to ${long.ratio.max.toFixed(2)}`;
  return [
    {
      goal: "P2",
      what: `append at message ${LONG} against message ${SHORT}`,
      value: long.ratio.median,
      target: 1.2,
      want: "at most",
      note,
    },
  ];
}
