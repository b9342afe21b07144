// One of the processes of P4 without refloat: ready rows into one SQLite file, one transaction and one sync each, until its time is over.
import { median } from "../raw.mjs";
import { bareWriter } from "./append.mjs";

const [path, runMs, place] = process.argv.slice(2);
const writer = bareWriter(path, 1024, { first: Number(place) + 1, sessions: 1 });
process.send("ready");
process.once("message", () => {
  const waits = [];
  const untilMs = performance.now() + Number(runMs);
  while (performance.now() < untilMs) {
    const startedMs = performance.now();
    writer.run();
    waits.push(performance.now() - startedMs);
  }
  process.send({ appends: waits.length, p50Ms: median(waits), worstMs: Math.max(...waits) });
  writer.close();
  process.disconnect();
});
