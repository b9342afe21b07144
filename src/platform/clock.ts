/**
 * Time, as an argument. `nowMs` is for people and for heartbeats between hosts and may jump either way;
 * `monotonicMs` is for measuring and never goes back. Nothing is ever ordered by either of them (D3).
 */
export interface Clock {
  nowMs(): number;
  monotonicMs(): number;
  /** Rejects with the signal's reason when it is aborted; the timer is gone by then. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Node runs a timer at once when its delay does not fit 31 bits; longer sleeps are made of several. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs,
  sleep: async (ms, signal) => {
    let leftMs = ms;
    do {
      await sleepOnce(Math.min(leftMs, LONGEST_TIMER_MS), signal);
      leftMs -= LONGEST_TIMER_MS;
    } while (leftMs > 0);
  },
};

/** `performance` says the same, and takes two milliseconds to load. */
function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}

/**
 * Calls `fn` every `ms`, first after `ms`, until stopped. Never keeps the process alive: a heartbeat must
 * not outlive the work it speaks for. What `fn` throws is the process's uncaught error.
 */
export function every(ms: number, fn: () => void): { stop(): void } {
  const timer = setInterval(fn, Math.min(ms, LONGEST_TIMER_MS));
  timer.unref();
  return { stop: () => clearInterval(timer) };
}

function sleepOnce(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    signal?.addEventListener("abort", onAbort, { once: true });
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }, ms);
  });
}
