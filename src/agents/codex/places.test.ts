/** Codex's marks: a lock that somebody holds names the process that writes the thread, one that nobody holds was left behind (K2). */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { codexPlaces } from "./places.ts";

const home = mkdtempSync(join(tmpdir(), "refloat-codex-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));
const LIVE = "01a1e466-0386-7ec3-8bde-e9e7b76f7f4a";
const DEAD = "01a1e458-84e4-7c50-b84e-0d0ec9ed0f2c";

describe("what Codex leaves while it lives", () => {
  it("names the process that holds the lock, and nobody where it was killed", async () => {
    const locks = join(home, ".codex", "thread-writer-locks");
    mkdirSync(locks, { recursive: true });
    for (const name of [`${LIVE}.lock`, `${DEAD}.lock`, ".coordination.lock"])
      writeFileSync(join(locks, name), "");
    const holder = spawn("flock", ["-o", join(locks, `${LIVE}.lock`), "-c", "echo held; exec sleep 60"], {
      ...{ stdio: ["ignore", "pipe", "inherit"], detached: true },
    });
    await new Promise((done) => holder.stdout?.once("data", done));
    const marks = codexPlaces.marks({ home, env: {} });
    process.kill(-(holder.pid ?? 0), "SIGKILL");
    expect(marks.find(({ nativeId }) => nativeId === LIVE)?.pid).toBe(holder.pid);
    expect(marks.find(({ nativeId }) => nativeId === DEAD)).toMatchObject({ pid: null, processStart: null });
    expect(marks.length).toBe(2);
  });
});

describe("where Codex's threads lie", () => {
  it("is by day, and nothing is followed out of its own folder", () => {
    const day = join(home, ".codex", "sessions", "2026", "11", "16");
    mkdirSync(day, { recursive: true });
    const name = `rollout-2026-11-16T12-32-48-${DEAD}.jsonl`;
    writeFileSync(join(day, name), "");
    writeFileSync(join(day, "notes.txt"), "");
    symlinkSync("/etc/passwd", join(day, `rollout-2026-11-16T12-32-49-${LIVE}.jsonl`));
    symlinkSync("/etc", join(home, ".codex", "sessions", "2027"));
    expect(codexPlaces.find({ home, env: {} }, "/r").map(({ nativeId }) => nativeId)).toEqual([DEAD]);
    expect(codexPlaces.find({ home, env: { CODEX_HOME: "/nowhere" } }, "/r")).toEqual([]);
  });
});
