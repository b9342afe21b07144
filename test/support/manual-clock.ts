/** A clock that tests move. */
import type { Clock } from "../../src/platform/clock.ts";

interface ManualClock extends Clock {
  /** Moves time. Backwards moves only `nowMs`, as when somebody sets the wall clock. */
  step(ms: number): void;
}

/** Stands still until stepped. Sleepers wake in the order of their deadlines. */
export function manualClock(startMs: number): ManualClock {
  let wallMs = startMs;
  let monotonicMs = 0;
  let sleepers: { readonly untilMs: number; readonly wake: () => void }[] = [];
  return {
    nowMs: () => wallMs,
    monotonicMs: () => monotonicMs,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        signal?.throwIfAborted();
        if (ms <= 0) return resolve();
        const sleeper = { untilMs: monotonicMs + ms, wake: resolve };
        sleepers.push(sleeper);
        signal?.addEventListener("abort", () => {
          sleepers = sleepers.filter((other) => other !== sleeper);
          reject(signal.reason);
        });
      }),
    step: (ms) => {
      wallMs += ms;
      monotonicMs += Math.max(0, ms);
      const due = sleepers.filter((sleeper) => sleeper.untilMs <= monotonicMs);
      sleepers = sleepers.filter((sleeper) => sleeper.untilMs > monotonicMs);
      for (const sleeper of due.toSorted((a, b) => a.untilMs - b.untilMs)) sleeper.wake();
    },
  };
}
