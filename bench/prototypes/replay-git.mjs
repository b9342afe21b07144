// @ts-check
// Within a process of the parts alone (start.mjs): the store opened and read once, the git processes begun together and waited for.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";

/** @param {{ sqlite: string, store: string, calls: string }} told */
export async function replay({ sqlite, store, calls }) {
  /** @type {{ args: string[], env: Record<string, string>, cwd: string, stdin: string }[]} */
  const all = JSON.parse(readFileSync(calls, "utf8"));
  const ended = all.map(async ({ args, env, cwd, stdin }) => {
    const child = spawn("git", args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ["pipe", "pipe", "ignore"],
    });
    child.stdin.on("error", () => undefined); // it did not want all of it
    child.stdin.end(stdin);
    child.stdout.resume();
    // Some of them wrote when they were seen, and find it written: what they cost is the same.
    await once(child, "close");
  });
  const { openDatabase } = await import(sqlite);
  const db = openDatabase(store, { readOnly: true });
  db.prepare("SELECT * FROM sessions").all();
  await Promise.all(ended);
  db.close();
}
