/**
 * An agent that behaves as the real ones were seen to (docs/run.md has the table). What it does is a JSON object in
 * its first argument; it says in `notes` (a folder outside the workspace) which processes it is and has started, and
 * then waits in its tool until `go` is there, or until somebody ends it.
 *
 *   reexec      starts itself again as a child and waits for it: the pid that was started is only a wrapper
 *   tool        "session": its tool runs in a session of its own; "group": in the agent's; "die-with": dies with it
 *   clear       the tool clears its environment
 *   calls       "one": a call is recorded before its tool runs; "batch": two, the first one done but not recorded yet;
 *               "none": it writes its calls down only when they are over
 *   ignores     signals it does not hear
 *   says        lines it prints before the tool runs; `tail`: text without a line feed after them
 *   chatter     prints numbered lines all the time, now and then in two pieces
 *   flood       bytes of lines it prints
 *   daemon      a command it starts that outlives it by design
 *   wait        waits for `go` itself, after its tool if it has one
 *   code        how it exits once the tool is over
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, renameSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";

const plan = JSON.parse(process.argv[2] ?? "{}");
const { notes } = plan;

const note = (name, value) => {
  if (!notes) return;
  writeFileSync(join(notes, `.${name}`), String(value));
  renameSync(join(notes, `.${name}`), join(notes, name));
};

for (const signal of plan.ignores ?? []) process.on(signal, () => note(`heard-${signal}`, 1));

if (plan.reexec) {
  note("wrapper", process.pid);
  const inner = { ...plan, reexec: false };
  const child = spawn(process.execPath, [process.argv[1], JSON.stringify(inner)], { stdio: "inherit" });
  child.once("exit", (code, signal) => (signal ? process.kill(process.pid, signal) : process.exit(code)));
} else {
  await work();
}

async function work() {
  note("agent", process.pid);
  for (const line of plan.says ?? []) writeSync(1, `${line}\n`);
  if (plan.chatter) chatter();
  if (plan.flood) flood(plan.flood);
  if (plan.tail) writeSync(1, plan.tail);
  if (plan.daemon) spawnSync(plan.daemon[0], plan.daemon.slice(1), { stdio: "ignore" });
  note("ready", process.pid);
  const record = await recorder(plan.calls ?? "none");
  await record.started();
  if (plan.tool) await runTool();
  if (plan.wait) await new Promise((resolve) => whenAllowed(resolve));
  await record.ended();
  process.exitCode = plan.code ?? 0;
}

function chatter() {
  let number = 0;
  const timer = setInterval(() => {
    number += 1;
    const pieces = number % 3 === 0 ? ["li", `ne ${number}\n`] : [`line ${number}\n`];
    try {
      for (const piece of pieces) writeAll(Buffer.from(piece));
    } catch (thrown) {
      // Nobody reads it any more: it works on without a word.
      if (thrown.code !== "EPIPE") throw thrown;
      clearInterval(timer);
    }
  }, 3);
  timer.unref();
}

function flood(bytes) {
  const line = `${"flood ".repeat(20)}\n`;
  const block = Buffer.from(line.repeat(500));
  for (let left = bytes; left > 0; left -= block.length)
    writeAll(block.subarray(0, Math.min(left, block.length)));
  writeAll(Buffer.from("\nafter the flood\n"));
}

/** Our stdout may be a pipe somebody else made non-blocking. */
function writeAll(bytes) {
  for (let done = 0; done < bytes.length; ) {
    try {
      done += writeSync(1, bytes, done);
    } catch (thrown) {
      if (thrown.code !== "EAGAIN") throw thrown;
    }
  }
}

/** Half of its work, then a wait, then the other half: what a late write looks like. */
function runTool() {
  const wait =
    plan.tool === "die-with" ? "read -r _ || exit 1" : `while [ ! -e "${notes}/go" ]; do sleep 0.05; done`;
  const script = `echo begin >> half.txt
    echo $$ > "${notes}/.tool" && mv "${notes}/.tool" "${notes}/tool"
    ${wait}
    echo end >> half.txt`;
  const { PATH } = process.env;
  const child = spawn("/bin/sh", ["-c", script], {
    detached: plan.tool === "session",
    stdio: ["pipe", plan.tool === "group" ? "inherit" : "ignore", "ignore"],
    env: plan.clear ? { PATH } : process.env,
  });
  if (plan.tool === "die-with") whenAllowed(() => child.stdin.write("go\n"));
  return new Promise((resolve) => child.once("exit", resolve));
}

function whenAllowed(act) {
  const timer = setInterval(() => {
    if (!existsSync(join(notes, "go"))) return;
    clearInterval(timer);
    act();
  }, 50);
}

/** As a hook would: under the session's mark, through the library. */
async function recorder(how) {
  const mark = /^(.+)\.(\d+)\.[^.]+$/.exec(process.env.REFLOAT_SESSION ?? "");
  if (how === "none" || !mark) return { started: () => undefined, ended: () => undefined };
  const { openStore } = await import("../../dist/index.js");
  const store = await openStore(undefined, { thread: false });
  const [, session, attempt] = mark;
  const open = await store.raw.open(session);
  const turn = open.find(({ what }) => what === "turn")?.id;
  const append = (...records) => store.raw.append(session, { attempt: Number(attempt) }, records);
  const started = (call) => ({
    id: `call:${call}`,
    kind: "call.started",
    atMs: Date.now(),
    body: { call, turn, tool: "shell", input: { command: call }, effect: "unknown" },
  });
  const ended = (call) => ({
    id: `call-end:${call}`,
    kind: "call.ended",
    atMs: Date.now(),
    body: { call, status: "done", output: "ok", synthetic: false },
  });
  const calls = how === "batch" ? ["fast", "slow"] : ["slow"];
  return {
    started: async () => {
      await append(...calls.map(started));
      note("recorded", calls.join(" "));
    },
    ended: async () => {
      await append(...calls.map(ended));
      await store.close();
    },
  };
}
