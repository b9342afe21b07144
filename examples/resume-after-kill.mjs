// The agent loop of agent-loop.mjs, killed with SIGKILL in the middle of its deploy, then started again.
//   node examples/resume-after-kill.mjs
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { openStore } from "refloat";

const home = mkdtempSync(join(tmpdir(), "refloat-example-"));

// Runs the loop; with `killAt`, kills it as soon as it prints that line.
async function agentLoop(killAt) {
  const script = join(import.meta.dirname, "agent-loop.mjs");
  const child = spawn(process.execPath, [script, "resumed"], {
    env: { ...process.env, REFLOAT_HOME: home },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const died = once(child, "close");
  for await (const line of createInterface({ input: child.stdout })) {
    console.log(`  ${line}`);
    if (line === killAt) child.kill("SIGKILL");
  }
  const [code, signal] = await died;
  console.log(`  (${signal ?? `exit ${code}`})\n`);
}

console.log("First try, killed while it deploys:");
await agentLoop("calls deploy");
console.log("Second try, the same command:");
await agentLoop(null);

const store = await openStore(join(home, "refloat.db"));
const [session] = await store.sessions();
console.log(`The session: ${session.state}, attempt ${session.attempt}, cause ${session.cause}`);
await store.close();
rmSync(home, { recursive: true });
