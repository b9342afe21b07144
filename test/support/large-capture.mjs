// A capture of 10,000 changed files in a process of its own, while another process appends to the same store: prints
// the peak of memory, how many appends the other got done meanwhile, and the longest any of them took. Needs dist/.
//   node large-capture.mjs FOLDER
import { execFileSync, fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "../../dist/index.js";
import { takeCapture } from "../../dist/workspace/captures/take-capture.js";
import { openWorkspace } from "../../dist/workspace/opening/workspace.js";

const FILES = 10_000;
const BYTES = 2048;
const [, , folder, role] = process.argv;
const address = join(folder, "store", "refloat.db");

if (role === "writer") await write();
else await measure();

async function write() {
  const store = await openStore(address, { thread: false });
  const session = await store.begin({ agent: "other", workspace: "/elsewhere" });
  const turn = await session.turn("go");
  let longestMs = 0;
  let count = 0;
  let isOver = false;
  process.on("message", () => {
    isOver = true;
  });
  process.send("ready");
  while (!isOver) {
    const startedMs = performance.now();
    await turn.append({ role: "assistant", parts: "still here" });
    longestMs = Math.max(longestMs, performance.now() - startedMs);
    count++;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await store.close();
  process.send({ count, longestMs });
  process.disconnect();
}

async function measure() {
  const root = join(folder, "repo");
  mkdirSync(root);
  const git = (...args) =>
    execFileSync("git", args, { cwd: root, env: { PATH: process.env.PATH, HOME: folder }, stdio: "ignore" });
  git("init", "-q");
  for (let i = 0; i < FILES; i++) {
    if (i % 100 === 0) mkdirSync(join(root, `d${i / 100}`));
    writeFileSync(join(root, `d${Math.floor(i / 100)}`, `f${i}`), `${i}\n`.repeat(BYTES / 8));
  }
  mkdirSync(join(folder, "store"), { mode: 0o700 });
  const store = await openStore(address, { thread: false });
  const { id } = await store.begin({ agent: "capturer", workspace: root, captures: "off" });
  const child = fork(process.argv[1], [folder, "writer"]);
  await once(child, "message");
  const env = { PATH: process.env.PATH, HOME: folder, GIT_CONFIG_NOSYSTEM: "1" };
  const taken = await takeCapture(store.raw, openWorkspace(root, { env }), {
    env,
    session: id,
    reason: "manual",
  });
  child.send("over");
  const [{ count, longestMs }] = await once(child, "message");
  await store.close();
  const peakKB = Number(/VmHWM:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))?.[1]);
  const told = {
    held: taken.capture.entries.length,
    peakMB: Math.round(peakKB / 1024),
    appendsMeanwhile: count,
    longestAppendMs: Math.round(longestMs),
  };
  console.log(JSON.stringify(told));
}
