import type { Clock } from "./clock.ts";

/** Waits for the work, but not longer; the timer does not outlive the waiting. */
export async function within(clock: Clock, ms: number, work: Promise<unknown>): Promise<void> {
  const waiting = new AbortController();
  const timeUp = clock.sleep(ms, waiting.signal).catch((thrown: unknown) => {
    if (!waiting.signal.aborted) throw thrown;
  });
  try {
    await Promise.race([work, timeUp]);
  } finally {
    waiting.abort();
  }
}
