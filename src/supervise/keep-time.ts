/** An agent's time (DESIGN 10): it is told some while before it is up, then it is asked to end. */
import type { Clock } from "../platform/clock.ts";

export interface TimeLimits {
  readonly timeoutMs: number | null;
  /** `--warn`: how long before; null: nobody asked, so only an agent that hears a notice is told. */
  readonly warnMs: number | null;
}

export interface TimeHands {
  readonly clock: Clock;
  /** The agent is over. */
  readonly ending: AbortSignal;
  tell(leftMs: number): void;
  end(): void;
}

/** Where nobody said when: this long before, or after nine tenths of the time where that is less. */
const NOTICE_MS = 60_000;

export async function keepTime({ timeoutMs, warnMs }: TimeLimits, hands: TimeHands): Promise<void> {
  if (timeoutMs === null) return;
  const leftMs = Math.min(warnMs ?? Math.min(NOTICE_MS, timeoutMs * 0.1), timeoutMs);
  const isOver = (ms: number): Promise<boolean> =>
    hands.clock.sleep(ms, hands.ending).then(
      () => false,
      () => true,
    );
  if (await isOver(timeoutMs - leftMs)) return;
  hands.tell(leftMs);
  if (await isOver(leftMs)) return;
  hands.end();
}
