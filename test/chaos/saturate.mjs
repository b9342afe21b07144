// Appends to a session of its own as fast as the store lets it, from "go" on its input until that ends. On
// descriptor 3: "ready", then for every acknowledged record its number and how long it was waited for, "end".
import { writeSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const config = JSON.parse(process.argv[2]);
const { openStore } = await import(pathToFileURL(join(config.built, "index.js")).href);
const say = (text) => writeSync(3, `${text}\n`);

const store = await openStore(config.url, config.open);
const session = await store.begin({ id: config.session, agent: "saturate", workspace: "/w" });
const turn = await session.turn("write as fast as you can");
say("ready");

const input = createInterface({ input: process.stdin });
let isOver = false;
input.once("close", () => {
  isOver = true;
});
await new Promise((resolve) => input.once("line", resolve));

for (let i = 0; !isOver; i++) {
  const startedMs = performance.now();
  const { seq } = await turn.append({
    role: "assistant",
    parts: `${config.session} ${i} ${"x".repeat(900)}`,
  });
  say(`${seq} ${i} ${(performance.now() - startedMs).toFixed(1)}`);
}
await turn.end("completed");
await session.release();
await store.close();
say("end");
