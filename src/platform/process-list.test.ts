import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { isListening } from "./listening.ts";
import { commandOf, environmentOf, listProcesses, parseProcessRow, processRow } from "./process-list.ts";
import { isSame, stopForGood } from "./stop-process.ts";

const isLinux = process.platform === "linux";

function started(env: Record<string, string> = {}): { pid: number; ended: Promise<unknown[]> } {
  const child = spawn(process.execPath, ["-e", "console.log(1); setInterval(() => {}, 1e6)"], {
    env: { ...env },
    stdio: ["ignore", "pipe", "ignore"],
    detached: true,
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return { pid: child.pid as number, ended: once(child, "close") };
}

describe("a line of /proc/PID/stat", () => {
  it("is read past a name with spaces, parentheses and digits", () => {
    const line = `42 (a ) S 1 (b) S 7 42 41 0 -1 4194304 0 0 0 0 0 0 0 0 20 0 1 0 9876 0 0`;
    expect(parseProcessRow(line)).toEqual({
      pid: 42,
      parent: 7,
      group: 42,
      session: 41,
      foreground: -1,
      started: 9876,
      hasExited: false,
      isStopped: false,
      name: "a ) S 1 (b",
    });
    expect(parseProcessRow("nonsense")).toBeNull();
  });
});

describe.runIf(isLinux)("the list of processes", () => {
  it("holds a child with its session of its own, its parent and its environment", async () => {
    const { pid } = started({ REFLOAT_SESSION: "s.1.r", OTHER: "xREFLOAT_SESSION=no" });
    const row = listProcesses()?.find((one) => one.pid === pid);
    expect(row).toMatchObject({ pid, parent: process.pid, session: pid, group: pid, hasExited: false });
    await until(() => environmentOf(pid, "REFLOAT_SESSION").kind === "is");
    expect(environmentOf(pid, "REFLOAT_SESSION")).toEqual({ kind: "is", value: "s.1.r" });
    expect(environmentOf(pid, "ABSENT")).toEqual({ kind: "absent" });
    expect(commandOf(row as never)).toContain("setInterval");
  });

  it("says whether a process waits for connections", async () => {
    expect(isListening(started().pid)).toBe(false);
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    expect(isListening(process.pid)).toBe(true);
    server.close();
  });
});

describe.runIf(isLinux)("stopping a process that is no child", () => {
  it("kills the very process it was told, and lets one go on that turns out to be another's (S2)", async () => {
    const { pid, ended } = started();
    const row = processRow(pid);
    const name = { pid, started: row?.started ?? 0 };
    expect(stopForGood(name, () => false)).toBe("not-ours");
    await until(() => processRow(pid)?.isStopped === false);
    expect(isSame(pid, name.started)).toBe(true);
    expect(stopForGood(name, () => true)).toBe("stopped");
    expect((await ended)[1]).toBe("SIGKILL");
    expect(stopForGood(name, () => true)).toBe("gone");
  });

  it("does not even hold a process that has the pid but not the start time", () => {
    const { pid } = started();
    const other = { pid, started: (processRow(pid)?.started ?? 0) + 1 };
    expect(stopForGood(other, () => true)).toBe("gone");
    expect(processRow(pid)?.isStopped).toBe(false);
  });
});

async function until(condition: () => boolean): Promise<void> {
  await expect.poll(condition, { timeout: 20_000 }).toBe(true);
}
