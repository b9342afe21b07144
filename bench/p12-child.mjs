// The process of P12: its event loop is watched, idle or while a hundred sessions append through the worker.

import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { openStore } from "refloat";
import { incompressibleText } from "./raw.mjs";

const [path, mode, runMs] = process.argv.slice(2);
const SESSIONS = 100;
// Each session appends as a chat would, a few times a second: the loop is watched, not the disk saturated.
const PAUSE_MS = 100;

const store = await openStore(path, { thread: mode !== "direct" });
const turns = [];
for (let i = 0; i < SESSIONS; i++)
  turns.push(await (await store.begin({ agent: "bench", workspace: "/" })).turn("go"));
const text = incompressibleText(1024);
const untilMs = performance.now() + Number(runMs);
let appends = 0;
const loop = async (turn, i) => {
  await sleep((PAUSE_MS * i) / SESSIONS);
  while (performance.now() < untilMs) {
    if (mode !== "idle") await turn.append({ role: "assistant", parts: text });
    appends++;
    await sleep(PAUSE_MS);
  }
};
const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
await Promise.all(turns.map(loop));
delay.disable();
process.send({
  p50Ms: delay.percentile(50) / 1e6,
  p99Ms: delay.percentile(99) / 1e6,
  maxMs: delay.max / 1e6,
  appends,
});
await store.close();
process.disconnect();
