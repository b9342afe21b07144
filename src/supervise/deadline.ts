/**
 * The deadline as the agent can read it (DESIGN 10): `REFLOAT_DEADLINE`, in seconds since 1970, so that it can finish or take back
 * what it is at before its time is up. Pure.
 */
import type { Environment } from "../platform/places.ts";

export const DEADLINE_VARIABLE = "REFLOAT_DEADLINE";

export interface DeadlineFacts {
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
