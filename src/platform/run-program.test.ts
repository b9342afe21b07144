import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { processRow } from "./process-list.ts";
import { type RunProgramOptions, runProgram } from "./run-program.ts";

const node = (text: string, more: Partial<RunProgramOptions> = {}) =>
  runProgram(process.execPath, ["-e", text], {
    cwd: tmpdir(),
    env: {},
    maxOutputBytes: 1000,
    timeoutMs: 60_000,
    ...more,
  });

/** Neither gone nor dead and not yet reaped. */
function isRunning(pid: number): boolean {
  const row = processRow(pid);
  return row !== null && !row.hasExited;
}

describe("running a program", () => {
  it("hands back its output, its complaints and its exit code, and gives it its input", async () => {
    const text =
      "process.stdin.on('data', (d) => process.stdout.write(d)).on('end', () => { console.error('hm'); process.exitCode = 7; })";
    const outcome = await node(text, { input: Buffer.from([1, 2, 255]) });
    expect(outcome).toEqual({ kind: "ended", code: 7, stdout: Buffer.from([1, 2, 255]), stderr: "hm\n" });
  });

  it("stops one that says more than the bound, and hands out no part of it as if it were all", async () => {
    const outcome = await node("process.stdout.write('x'.repeat(5000)); setInterval(() => {}, 1000)");
    expect(outcome).toEqual({ kind: "too-long", limit: 1000 });
  });

  it("stops one that takes too long, also when a grandchild holds its pipes", async () => {
    const text =
      "const c = require('child_process').spawn(process.execPath, ['-e', 'setTimeout(() => {}, 15000)'], { stdio: 'inherit' }); c.unref(); setInterval(() => {}, 1000)";
    expect(await node(text, { timeoutMs: 1500 })).toEqual({ kind: "too-slow", limitMs: 1500 });
  });

  it("with a session of its own takes along what it started, and has no terminal of ours", async () => {
    const folder = temporaryFolder();
    // It passes the bound of output, not of time, and only when the other one is there: a slow machine changes nothing.
    const text = "sleep 600 & echo $! > pid; head -c 5000 /dev/zero; wait";
    const outcome = await runProgram("sh", ["-c", text], {
      cwd: folder,
      env: { PATH: process.env.PATH ?? "" },
      maxOutputBytes: 1000,
      timeoutMs: 600_000,
      hasOwnSession: true,
    });
    expect(outcome).toEqual({ kind: "too-long", limit: 1000 });
    const pid = Number(readFileSync(join(folder, "pid"), "utf8"));
    await expect.poll(() => isRunning(pid), { timeout: 60_000 }).toBe(false);
  });

  it("that leaves another behind which holds its pipes is over when it is over, with all it said", async () => {
    const text = `const c = require('child_process').spawn('sleep', ['600'], { stdio: 'inherit', detached: true }); c.unref();
      process.stdout.write(String(c.pid) + ' ' + 'x'.repeat(900))`;
    const outcome = await node(text, { env: { PATH: process.env.PATH ?? "" }, mayLeaveOthers: true });
    expect(outcome).toMatchObject({ kind: "ended", code: 0 });
    const [pid, words] = (outcome.kind === "ended" ? outcome.stdout.toString() : "").split(" ");
    expect(words).toBe("x".repeat(900));
    expect(isRunning(Number(pid))).toBe(true);
    process.kill(Number(pid), "SIGKILL");
  });

  it("says that a program is not there instead of throwing, and which signal ended one", async () => {
    const missing = await runProgram("/no/such/program", [], {
      cwd: tmpdir(),
      env: {},
      maxOutputBytes: 1,
      timeoutMs: 1000,
    });
    expect(missing.kind).toBe("not-started");
    expect(await node("process.kill(process.pid, 'SIGTERM'); setInterval(() => {}, 1000)")).toMatchObject({
      kind: "signalled",
      signal: "SIGTERM",
    });
  });
});
