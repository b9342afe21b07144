/**
 * Waiting, for `loop` and for `run --on-limit wait`: bounded, and ended early by whoever asks for the end. A limit's end is a time of
 * day, so that a machine's sleep does not add to it; a back-off is a stretch of running time.
 */
import type { Clock } from "../platform/clock.ts";

/** How soon a stop file or a signal is seen while waiting. */
const LOOK_MS = 1000;

export interface BoundedWait {
  readonly clock: Clock;
  readonly ms: number;
  readonly why: "backoff" | "limit";
  readonly isEnded: () => boolean;
  readonly onLeft: (leftMs: number) => Promise<void> | void;
}

export async function boundedWait({ clock, ms, why, isEnded, onLeft }: BoundedWait): Promise<void> {
  const untilMs = clock.nowMs() + ms;
  const deadlineMs = clock.monotonicMs() + ms;
  for (;;) {
    const runningMs = deadlineMs - clock.monotonicMs();
    const leftMs = why === "limit" ? Math.min(untilMs - clock.nowMs(), runningMs) : runningMs;
    if (leftMs <= 0 || isEnded()) return;
    await onLeft(leftMs);
    await clock.sleep(Math.min(LOOK_MS, leftMs));
  }
}
