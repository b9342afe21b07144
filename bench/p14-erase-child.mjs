// The processes of P14's second half: `write PATH` appends until it is told to stop and says how long it waited at worst; `gc PATH`,
// `forget PATH`, `delete PATH` do that and say how long it took and the most memory they had.
import { openStore } from "refloat";
import { LARGE, WRITTEN } from "./p14-erase.mjs";
import { median } from "./raw.mjs";

/** Nobody appends without a pause: the other process gets the lock. */
const PAUSE_MS = 2;
const HOUR_MS = 60 * 60_000;

const [what, path] = process.argv.slice(2);
const store = await openStore(path, { thread: false });

const works = {
  gc: () => store.raw.driver.gc(Date.now() - HOUR_MS),
  forget: () => store.forget({ session: LARGE }),
  delete: () => store.delete(LARGE, { force: true }),
};

const end = async (answer) => {
  await store.close();
  process.send(answer, () => process.disconnect());
};

if (what === "write") {
  const session = await store.begin({ id: WRITTEN, agent: "bench", workspace: "/", captures: "off" });
  const turn = await session.turn("go");
  let isAsked = false;
  process.once("message", () => {
    isAsked = true;
  });
  const waits = [];
  process.send("ready");
  while (!isAsked) {
    const startedMs = performance.now();
    // Refused after 30 seconds of waiting: so long it has waited, too.
    await turn.append({ role: "assistant", parts: "x".repeat(1024) }).catch((thrown) => {
      if (thrown.code !== "E_STORE_BUSY") throw thrown;
    });
    waits.push(performance.now() - startedMs);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  await end({ appends: waits.length, p50Ms: median(waits), worstMs: Math.max(...waits) });
} else {
  const before = process.resourceUsage().maxRSS;
  process.send("ready");
  process.once("message", async () => {
    const startedMs = performance.now();
    await works[what]();
    const ms = performance.now() - startedMs;
    await end({ ms, grewMB: (process.resourceUsage().maxRSS - before) / 1024 });
  });
}
