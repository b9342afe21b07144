// P11: 100 MB of lines from an agent through `refloat run`, against a bare relay in Node (spawn and pipe), from the first
// byte the reader sees to the last: what both need to start is P9's business. Both start the agent in a session of its
// own: a kernel that shares the processor among sessions (autogroups) gives another share to a pipe across two of them,
// which says nothing of the relay; the plain one stands beside it, and one that reads a real pipe, as run does: Node's own
// is a pair of sockets, which hold three times as much between two turns of a busy processor. The peak memory of `run` is printed, with that of a
// tenth of the output: it must not grow with what passes.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { median, OUT, scratchDirectory } from "./raw.mjs";

const BYTES = 100_000_000;
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const BIN = fileURLToPath(new URL("../dist/cli/bin.js", import.meta.url));
const LINE = "a line of output as an agent prints it, eighty characters wide, again and again ...";

const agent = (bytes) => ["sh", "-c", `yes '${LINE}' | head -c ${bytes}`];
const relay = (bytes, detached) => [
  process.execPath,
  "-e",
  `const { spawn } = require("node:child_process");
   const [file, ...args] = ${JSON.stringify(agent(bytes))};
   const stdio = ["inherit", "pipe", "inherit"];
   spawn(file, args, { stdio, detached: ${detached} }).stdout.pipe(process.stdout);`,
];
const piped = (bytes) => [
  process.execPath,
  "--input-type=module",
  "-e",
  `import { spawn } from "node:child_process";
   import { makePipes } from ${JSON.stringify(new URL("../dist/platform/real-pipe.js", import.meta.url).href)};
   const [{ reading, writing, closeWriting }] = makePipes(${JSON.stringify(OUT)}, 1);
   const [file, ...args] = ${JSON.stringify(agent(bytes))};
   spawn(file, args, { stdio: ["inherit", writing, "inherit"], detached: true });
   closeWriting();
   reading.pipe(process.stdout);`,
];
const supervised = (bytes) => [process.execPath, BIN, "run", "--", ...agent(bytes)];
// A program called as pi is, which prints the same: run knows its agent and reads its stream, or looks for its transcript.
const known = (bytes, ...words) => [process.execPath, BIN, "run", "--", "pi", "-p", ...words, String(bytes)];
const EVENT = JSON.stringify({
  type: "tool_execution_update",
  toolCallId: "c",
  partialResult: { text: LINE },
});
// Text as it grows: lines that have to be read, each with a few words.
const DELTA = (words) =>
  JSON.stringify({
    type: "message_update",
    assistantMessageEvent: { type: "text_delta", contentIndex: 0, delta: words },
    message: { responseId: "r" },
  });
const PI = `#!/bin/sh
for bytes; do :; done
case "$*" in
  *text*) line='${DELTA(LINE)}
${DELTA(LINE.toUpperCase())}' ;;
  *json*) line='${EVENT}' ;;
  *) line='${LINE}' ;;
esac
yes "$line" | head -c "$bytes"
`;

async function pass([file, ...args], bytes, dir) {
  const path = [dir, process.env.PATH].join(delimiter);
  const env = { ...process.env, REFLOAT_HOME: join(dir, "home"), HOME: join(dir, "home"), PATH: path };
  const child = spawn(file, args, { cwd: join(dir, "workspace"), env, stdio: ["ignore", "pipe", "inherit"] });
  const exited = once(child, "exit");
  let seen = 0;
  let firstMs = 0;
  let lastMs = 0;
  let peakMiB = 0;
  let sinceLook = 0;
  for await (const piece of child.stdout) {
    if (seen === 0) firstMs = performance.now();
    seen += piece.length;
    lastMs = performance.now();
    sinceLook += piece.length;
    if (sinceLook < bytes / 20) continue;
    sinceLook = 0;
    peakMiB = peakOf(child.pid) ?? peakMiB;
  }
  const tookMs = lastMs - firstMs;
  await exited;
  if (seen !== bytes) throw new Error(`${seen} of ${bytes} bytes passed`);
  return { tookMs, peakMiB };
}

// Gone when it has ended: then the last look counts.
function peakOf(pid) {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
  } catch (_gone) {
    return null;
  }
}

export async function run() {
  const dir = scratchDirectory("p11");
  mkdirSync(join(dir, "workspace"));
  writeFileSync(join(dir, "pi"), PI, { mode: 0o755 });
  // A repository of its own: this one has the store inside.
  spawnSync("git", ["init", "-q"], { cwd: join(dir, "workspace") });
  const ratios = [];
  const took = { plain: [], pipe: [], relay: [], run: [], adapter: [], stream: [], text: [] };
  const knownRatios = { adapter: [], stream: [], text: [] };
  const peaks = { adapter: 0, stream: 0, text: 0 };
  let peakMiB = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const plain = await pass(relay(BYTES, false), BYTES, dir);
    const pipe = await pass(piped(BYTES), BYTES, dir);
    const bare = await pass(relay(BYTES, true), BYTES, dir);
    const ours = await pass(supervised(BYTES), BYTES, dir);
    ratios.push(ours.tookMs / bare.tookMs);
    took.plain.push(plain.tookMs);
    took.pipe.push(pipe.tookMs);
    took.relay.push(bare.tookMs);
    took.run.push(ours.tookMs);
    peakMiB = Math.max(peakMiB, ours.peakMiB);
    for (const [which, words] of [
      ["adapter", []],
      ["stream", ["--mode", "json"]],
      ["text", ["--mode", "json", "text"]],
    ]) {
      const heard = await pass(known(BYTES, ...words), BYTES, dir);
      knownRatios[which].push(heard.tookMs / bare.tookMs);
      took[which].push(heard.tookMs);
      peaks[which] = Math.max(peaks[which], heard.peakMiB);
    }
  }
  const small = await pass(supervised(BYTES / 10), BYTES / 10, dir);
  rmSync(dir, { recursive: true });
  const knownRow = (which, what) => ({
    goal: "P11",
    what,
    value: median(knownRatios[which]),
    target: 1.3,
    want: "at most",
    note: `${ms(which)} against ${ms("relay")}; rounds ${Math.min(...knownRatios[which]).toFixed(2)} to ${Math.max(...knownRatios[which]).toFixed(2)}; peak memory ${peaks[which].toFixed(0)} MiB`,
  });
  const ms = (which) => `${median(took[which]).toFixed(0)} ms`;
  return [
    {
      goal: "P11",
      what: "100 MB of lines through run, against a bare Node relay",
      value: median(ratios),
      target: 1.3,
      want: "at most",
      note: `${ms("run")} against ${ms("relay")} (${ms("plain")} in our own session, ${ms("pipe")} on a real pipe); rounds ${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}; peak memory ${peakMiB.toFixed(0)} MiB, of 10 MB ${small.peakMiB.toFixed(0)} MiB`,
    },
    knownRow("adapter", "the same from an agent that is known, its words for people"),
    knownRow(
      "stream",
      "the same from an agent that is known, its JSON stream read: a tool's output as it grows",
    ),
    knownRow("text", "the same: its own text as it grows, in lines of a few words"),
  ];
}
