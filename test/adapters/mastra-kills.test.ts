import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import { describeKills, type KilledAgent } from "./kills.ts";
import { mastraRuntime } from "./mastra-runtime.ts";

/** One process reads after every kill: Mastra takes a second to load. */
function startReader(): (asked: object) => Promise<readonly string[]> {
  const { node, args, env } = mastraRuntime();
  const child = spawn(node, [...args, join(import.meta.dirname, "mastra-reader.mjs")], {
    env: { ...process.env, ...env },
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return async (asked) => {
    child.stdin.write(`${JSON.stringify(asked)}\n`);
    const { value, done } = await lines.next();
    if (done) throw new Error("the reader ended");
    return JSON.parse(value) as string[];
  };
}

let ask: ReturnType<typeof startReader> | null = null;
const read: KilledAgent["read"] = async (_store, lift, { url, open }) => {
  ask ??= startReader();
  return new Set(await ask({ url, open, lift }));
};

describeKills({
  framework: "Mastra",
  script: "mastra-agent.mjs",
  read,
  runtime: () => {
    onTestFinished(() => {
      ask = null;
    });
    return mastraRuntime();
  },
  maxBegun: 32,
});
