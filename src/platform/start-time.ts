/** When a process began, by this machine's clock: for people, never to compare processes by (that is its tick, K2). */
import { readFileSync } from "node:fs";

/** USER_HZ: 100 on every Linux there is. */
const TICKS_PER_SECOND = 100;

/** Null: the kernel does not tell when it was started. */
export function startedAtMs(ticks: number): number | null {
  const bootSeconds = Number(/^btime (\d+)$/m.exec(statText())?.[1] ?? Number.NaN);
  return Number.isFinite(bootSeconds) ? Math.round((bootSeconds + ticks / TICKS_PER_SECOND) * 1000) : null;
}

function statText(): string {
  try {
    return readFileSync("/proc/stat", "latin1");
  } catch (_unreadable) {
    return "";
  }
}
