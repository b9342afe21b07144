/** K2: a lock is held by the process the kernel names, for as long as it lives and no longer. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { lockOn, pidsLocking } from "./file-locks.ts";

const folder = mkdtempSync(join(tmpdir(), "refloat-locks-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the kernel's table of locks", () => {
  it("names who holds a file, and not who waits for it or holds another", () => {
    const table = [
      "4: POSIX  ADVISORY  READ 39 fe:00:1591846 1073741826 1073742335",
      "5: FLOCK  ADVISORY  WRITE 39 fe:00:1821007 0 EOF",
      "5: -> FLOCK  ADVISORY  WRITE 40 fe:00:1821007 0 EOF",
      "6: FLOCK  ADVISORY  WRITE 18 fe:00:18210070 0 EOF",
      "",
    ].join("\n");
    expect(pidsLocking(table, 1821007)).toEqual([39]);
    expect(pidsLocking(table, 7)).toEqual([]);
  });

  it("says that a file is free again when its holder was killed", async () => {
    const path = join(folder, "a.lock");
    writeFileSync(path, "");
    expect(lockOn(path)).toEqual({ kind: "free" });
    // In a group of its own with what it runs, so that both can be killed at once.
    const holder = spawn("flock", ["-o", path, "-c", "echo held; exec sleep 60"], {
      ...{ stdio: ["ignore", "pipe", "inherit"], detached: true },
    });
    const ended = new Promise((done) => holder.once("exit", done));
    await new Promise((done) => holder.stdout?.once("data", done));
    expect(lockOn(path)).toMatchObject({ kind: "held", pid: holder.pid });
    expect(lockOn(join(folder, "none"))).toEqual({ kind: "unknown" });
    process.kill(-(holder.pid ?? 0), "SIGKILL");
    await ended;
    expect(lockOn(path)).toEqual({ kind: "free" });
  });
});
