// P5: taking up a session of 100,000 messages (the last 200) against one of 1,000: begin, view, export, release.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "refloat";
import { incompressibleText, interleave, scratchDirectory } from "./raw.mjs";

const SHORT = 1000;
const LONG = 100_000;
const WINDOW = 200;
const FILL_AT_ONCE = 500;

async function fill(store, dir, messages) {
  const session = await store.begin({ agent: "bench", workspace: dir, captures: "off", window: WINDOW });
  const turn = await session.turn("go");
  const text = incompressibleText(1024);
  for (let done = 0; done < messages; done += FILL_AT_ONCE) {
    await Promise.all(
      Array.from({ length: FILL_AT_ONCE }, () => turn.append({ role: "assistant", parts: text })),
    );
  }
  await turn.end("completed");
  await session.release();
  return session.id;
}

export async function run() {
  const dir = scratchDirectory("p5");
  const store = await openStore(join(dir, "store.db"), { thread: false });
  const resume = (name, id) => ({
    name,
    run: async () => {
      const session = await store.begin({
        id,
        agent: "bench",
        workspace: dir,
        captures: "off",
        window: WINDOW,
      });
      if (session.view("model").items.length < WINDOW) throw new Error("the view is too short");
      session.export("anthropic");
      await session.release();
    },
  });
  const variants = [
    resume("short", await fill(store, dir, SHORT)),
    resume("long", await fill(store, dir, LONG)),
  ];
  const { long, short } = (await interleave(variants, 7, 10)).variants;
  await store.close();
  rmSync(dir, { recursive: true });
  const note = `p50 ${(long.p50Us / 1000).toFixed(2)} ms against ${(short.p50Us / 1000).toFixed(2)} ms; rounds ${long.ratio.min.toFixed(2)} to ${long.ratio.max.toFixed(2)}`;
  return [
    {
      goal: "P5",
      what: `resume (last ${WINDOW}) of ${LONG} messages against ${SHORT}`,
      value: long.ratio.median,
      target: 2,
      want: "at most",
      note,
    },
  ];
}
