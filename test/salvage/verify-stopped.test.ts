/** A signal to refloat alone while the user's check runs: the check and what it started end, nobody else does (S2, T1). */
import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { isAlive } from "../run/run-scene.ts";
import { ended, makePlace, type Place } from "../support/cli.ts";
import { fingerprint, testRepository } from "../support/git-repository.ts";
import { leftSession } from "../support/left-session.ts";

/** Waits for something, however long that takes on this machine. */
async function until<T>(look: () => T | null): Promise<T> {
  for (;;) {
    const found = look();
    if (found !== null) return found;
    await sleep(20);
  }
}

/** The numbers of the check's shell and of what it started, once it runs. */
const pidsIn = (path: string): Promise<number[]> =>
  until(() => {
    const pids = existsSync(path) ? readFileSync(path, "utf8").split("\n").filter(Boolean).map(Number) : [];
    return pids.length === 2 ? pids : null;
  });

function endAtLast(...pids: readonly number[]): void {
  onTestFinished(() => {
    for (const pid of pids) if (isAlive(pid)) process.kill(pid, "SIGKILL");
  });
}

async function scene(): Promise<{ place: Place; root: string }> {
  const place = makePlace();
  const repo = testRepository(place.workspace);
  repo.write("a.txt", "a\n");
  repo.commit();
  await leftSession(place, repo, { edits: { "b.txt": () => repo.write("b.txt", "b\n") } });
  return { place, root: repo.root };
}

describe("a signal while the check runs", () => {
  it.each([
    ["inspect", "SIGINT"],
    ["inspect", "SIGTERM"],
    ["last-good", "SIGTERM"],
  ] as const)(
    "of %s by %s stops the check with what it started, takes its scratch tree away and ends as that signal; others live on",
    async (command, signal) => {
      const { place, root } = await scene();
      const before = fingerprint(root);
      const file = join(place.home, "pids");
      const stranger = spawn("sleep", ["1000"], { stdio: "ignore", cwd: root });
      endAtLast(stranger.pid as number);
      const child = place.start([
        command,
        "--verify",
        `echo $$ > ${file}; sleep 1000 & echo $! >> ${file}; wait`,
      ]);
      child.stdin?.end();
      const over = ended(child);
      const pids = await pidsIn(file);
      endAtLast(...pids);
      child.kill(signal);
      expect((await over).signal).toBe(signal);
      // Killed before refloat ended; the system may still be taking the last of it down.
      await until(() => (pids.some(isAlive) ? null : true));
      expect(readdirSync(join(place.home, "scratch"))).toEqual([]);
      expect(isAlive(stranger.pid as number)).toBe(true);
      expect(fingerprint(root)).toBe(before);
    },
    300_000,
  );
});
