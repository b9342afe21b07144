// Runs the example of a framework, kills it with SIGKILL while it pays its second bill, and starts it again.
//   node examples/killed.mjs langgraph
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const [example = "langgraph"] = process.argv.slice(2);
const home = mkdtempSync(join(tmpdir(), "refloat-example-"));

async function run(killAt) {
  const child = spawn(process.execPath, [join(import.meta.dirname, `${example}.mjs`)], {
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

console.log("First try, killed while it pays:");
await run("pays bill 2");
console.log("Second try, the same command:");
await run(null);
console.log(`Paid: ${readFileSync(join(home, "payments"), "utf8").trim().split("\n").join(", ")}`);
rmSync(home, { recursive: true });
