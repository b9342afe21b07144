/**
 * Processes that carry a mark in their environment (S2, S6): found by an exact match of the whole variable, of this
 * user, in this pid namespace. Stopping one is SIGSTOP, another look at its start and its mark, then SIGKILL: a pid
 * that was reused meanwhile goes on.
 */
import { readdirSync, readFileSync, statSync } from "node:fs";
import type { Clock } from "./clock.ts";
import { errnoOf } from "./io-error.ts";
import { systemProcesses } from "./process-table.ts";
import type { ProcessName } from "./stop-process.ts";

const POLL_MS = 20;

/** Waits for them, then stops those that are left; returns when there are none. */
export async function endMarked(
  clock: Clock,
  variable: string,
  value: string,
  waitMs: number,
): Promise<number> {
  const untilMs = clock.monotonicMs() + waitMs;
  for (;;) {
    const found = markedProcesses(variable, value);
    if (found.length === 0) return 0;
    if (clock.monotonicMs() > untilMs) {
      for (const one of found) stop(one, variable, value);
      return found.length;
    }
    await clock.sleep(POLL_MS);
  }
}

function markedProcesses(variable: string, value: string): ProcessName[] {
  const me = process.geteuid?.();
  const found: ProcessName[] = [];
  for (const name of listProcesses()) {
    const pid = Number(name);
    if (pid === process.pid || uidOf(pid) !== me || !isMarked(pid, variable, value)) continue;
    const status = systemProcesses.statusOf(pid);
    if (status && !status.hasExited) found.push({ pid, started: status.started });
  }
  return found;
}

function stop({ pid, started }: ProcessName, variable: string, value: string): void {
  try {
    process.kill(pid, "SIGSTOP");
    const isSame = systemProcesses.statusOf(pid)?.started === started && isMarked(pid, variable, value);
    process.kill(pid, isSame ? "SIGKILL" : "SIGCONT");
  } catch (thrown) {
    if (errnoOf(thrown) !== "ESRCH") throw thrown;
  }
}

function listProcesses(): string[] {
  return tryRead(() => readdirSync("/proc").filter((name) => /^[1-9]\d*$/.test(name))) ?? [];
}

const uidOf = (pid: number): number | null => tryRead(() => statSync(`/proc/${pid}`).uid);

function isMarked(pid: number, variable: string, value: string): boolean {
  const environ = tryRead(() => readFileSync(`/proc/${pid}/environ`, "latin1"));
  return environ?.split("\0").includes(`${variable}=${value}`) ?? false;
}

/** Null: gone since, or not ours to see. */
function tryRead<T>(read: () => T): T | null {
  try {
    return read();
  } catch (thrown) {
    if (errnoOf(thrown) !== null) return null;
    throw thrown;
  }
}
