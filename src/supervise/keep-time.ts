/**
 * An agent's time (DESIGN 10): it can read its deadline, is told some while before it is up, then it is asked to
 * end.
 */
import type { Clock } from "../platform/clock.ts";
import type { Environment } from "../platform/places.ts";

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

/**
 * The deadline as the agent can read it (DESIGN 10): `REFLOAT_DEADLINE`, in seconds since 1970, so that it can finish or take back
 * what it is at before its time is up. Pure.
 */
const DEADLINE_VARIABLE = "REFLOAT_DEADLINE";

interface DeadlineFacts {
  readonly nowMs: number;
  /** Null: this run has none. */
  readonly timeoutMs: number | null;
  /** What we were started with: a run inside of another's has that one's deadline, too. */
  readonly env: Environment;
}

/** What the child's environment says; undefined: nothing, whatever ours says (one that is past is nobody's any more). */
export function deadlineVariable({
  nowMs,
  timeoutMs,
  env,
}: DeadlineFacts): Record<string, string | undefined> {
  const own = timeoutMs === null ? null : (nowMs + timeoutMs) / 1000;
  const given = /^\d{1,12}$/.test(env[DEADLINE_VARIABLE] ?? "") ? Number(env[DEADLINE_VARIABLE]) : null;
  const outer = given !== null && given * 1000 > nowMs ? given : null;
  const first = Math.min(own ?? Number.POSITIVE_INFINITY, outer ?? Number.POSITIVE_INFINITY);
  // Down: nobody is told of time that he does not have.
  return { [DEADLINE_VARIABLE]: Number.isFinite(first) ? String(Math.floor(first)) : undefined };
}
