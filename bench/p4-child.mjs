// One of the processes of P4: appends one after the other from the parent's "go" until its time is over.
import { openStore } from "refloat";
import { incompressibleText, median } from "./raw.mjs";

const [path, runMs] = process.argv.slice(2);
const store = await openStore(path, { thread: false });
const session = await store.begin({ agent: "bench", workspace: "/" });
const turn = await session.turn("go");
const text = incompressibleText(1024);
process.send("ready");
process.once("message", async () => {
  const waits = [];
  const untilMs = performance.now() + Number(runMs);
  while (performance.now() < untilMs) {
    const startedMs = performance.now();
    await turn.append({ role: "assistant", parts: text });
    waits.push(performance.now() - startedMs);
  }
  process.send({ appends: waits.length, p50Ms: median(waits), worstMs: Math.max(...waits) });
  await store.close();
  process.disconnect();
});
