/**
 * What a loop does next, from how its sessions ended (DESIGN 10). Pure; loop.ts does it.
 *
 *  B1  Whoever asked for the end gets it before anything else: a signal, the stop file, the goal.
 *  B2  A usage limit is no failure: it never counts, never backs off, and is waited for only where that was asked for,
 *      the time is known and within bounds.
 *  B3  Sessions without progress in a row escalate (L2), dirty or not; one with progress sets the count back.
 *  B4  The same failure again waits twice as long each time, up to a bound; another failure begins anew.
 */
import type { Cause } from "../model/causes.ts";

/** One session of the loop, as it ended. */
export interface SessionEnd {
  readonly session: string;
  /** As `run` would exit. */
  readonly code: number;
  readonly state: "finished" | "interrupted" | "suspended";
  readonly cause: Cause;
  /** A completed turn, a finished call, a commit, another capture (L2). */
  readonly hasProgress: boolean;
  /** The call that was open, by what it does; null: none was. */
  readonly call: string | null;
  /** When a usage limit ends; null: none was hit, or nobody said when it ends. */
  readonly resetsAtMs: number | null;
}

export interface LoopLimits {
  readonly max: number | null;
  readonly maxTimeMs: number | null;
  readonly backoffMs: number;
  /** Null: never. */
  readonly suspendAfter: number | null;
  readonly onLimit: "exit" | "wait";
}

export interface LoopSoFar {
  readonly sessions: number;
  readonly last: SessionEnd | null;
  /** What failed, how often in a row. */
  readonly failure: { readonly key: string; readonly times: number } | null;
  readonly withoutProgress: number;
  /** Limits in a row with nothing done between them. */
  readonly limitsInARow: number;
}

export const NOTHING_YET: LoopSoFar = {
  sessions: 0,
  last: null,
  failure: null,
  withoutProgress: 0,
  limitsInARow: 0,
};

/** Doubling stops here: a service that comes back is found within a quarter of an hour. */
export const LONGEST_BACKOFF_MS = 15 * 60_000;
/** Providers round their reset times; a session started on the dot meets the limit again. */
export const AFTER_RESET_MS = 60_000;
/** A limit that ends later is next week's: somebody should know now. */
export const LONGEST_LIMIT_WAIT_MS = 24 * 60 * 60_000;
/** A limit met again and again right after its end is not the limit that was announced. */
export const MOST_LIMITS_IN_A_ROW = 3;

export function afterSession(soFar: LoopSoFar, end: SessionEnd): LoopSoFar {
  const sessions = soFar.sessions + 1;
  if (end.cause === "limit") {
    const limitsInARow = end.hasProgress ? 1 : soFar.limitsInARow + 1;
    return { ...soFar, sessions, last: end, limitsInARow };
  }
  return {
    sessions,
    last: end,
    failure: failureAfter(soFar.failure, end),
    withoutProgress: end.hasProgress ? 0 : soFar.withoutProgress + 1,
    limitsInARow: 0,
  };
}

const isFailure = ({ code, state }: SessionEnd): boolean => code !== 0 || state !== "finished";

function failureAfter(before: LoopSoFar["failure"], end: SessionEnd): LoopSoFar["failure"] {
  // Our own timeout with something done is how long work is meant to go (L2).
  if (!isFailure(end) || (end.cause === "timeout" && end.hasProgress)) return null;
  const key = `${end.cause} ${end.code} ${end.call ?? ""}`;
  return { key, times: before?.key === key ? before.times + 1 : 1 };
}

/** What is true now, looked at right before deciding. */
export interface LoopNow {
  readonly wallMs: number;
  /** Since the loop began. */
  readonly elapsedMs: number;
  readonly signal: NodeJS.Signals | null;
  readonly hasStopFile: boolean;
  /** Null: no `--until` was given. */
  readonly isGoalReached: boolean | null;
}

export type StopWhy =
  | "signal"
  | "stop-file"
  | "goal"
  | "max"
  | "max-time"
  | "limit"
  | "suspended"
  | "no-progress"
  /** `refloat stop` on the session: asked-to-stop is never gone on from by itself (L4). */
  | "asked";

export type LoopStep =
  | { readonly kind: "start"; readonly timeoutMs: number | null }
  | {
      readonly kind: "wait";
      readonly why: "backoff" | "limit";
      readonly ms: number;
      readonly failure: { readonly times: number } | null;
    }
  | { readonly kind: "stop"; readonly why: StopWhy };

/** `isRested`: the wait that this decision would ask for is behind us. */
export function decideNext(
  soFar: LoopSoFar,
  limits: LoopLimits,
  now: LoopNow,
  { isRested }: { readonly isRested: boolean },
): LoopStep {
  const stop = (why: StopWhy): LoopStep => ({ kind: "stop", why });
  if (now.signal !== null) return stop("signal");
  if (now.hasStopFile) return stop("stop-file");
  if (now.isGoalReached === true) return stop("goal");
  const { last } = soFar;
  if (last?.state === "suspended") return stop("suspended");
  if (last?.state === "finished" && last.cause === "signal") return stop("asked");
  if (limits.suspendAfter !== null && soFar.withoutProgress >= limits.suspendAfter)
    return stop("no-progress");
  if (last?.cause === "limit" && !isRested) {
    const step = decideLimit(soFar, last, limits, now);
    if (step.kind === "stop") return step;
    return isTimeUp(limits, now.elapsedMs + step.ms) || isLastOne(soFar, limits) ? stop("limit") : step;
  }
  if (isLastOne(soFar, limits)) return stop("max");
  if (isTimeUp(limits, now.elapsedMs)) return stop("max-time");
  const rest = isRested || last?.cause === "limit" ? 0 : backoffOf(soFar, limits);
  if (rest > 0)
    return isTimeUp(limits, now.elapsedMs + rest)
      ? stop("max-time")
      : { kind: "wait", why: "backoff", ms: rest, failure: soFar.failure };
  const timeoutMs = limits.maxTimeMs === null ? null : limits.maxTimeMs - now.elapsedMs;
  return { kind: "start", timeoutMs };
}

const isLastOne = ({ sessions }: LoopSoFar, { max }: LoopLimits): boolean => max !== null && sessions >= max;

const isTimeUp = ({ maxTimeMs }: LoopLimits, elapsedMs: number): boolean =>
  maxTimeMs !== null && elapsedMs >= maxTimeMs;

/** B2. */
function decideLimit(
  soFar: LoopSoFar,
  { resetsAtMs }: SessionEnd,
  { onLimit }: LoopLimits,
  { wallMs }: LoopNow,
): LoopStep & { readonly kind: "wait" | "stop" } {
  const stop = { kind: "stop", why: "limit" } as const;
  const ms = onLimit === "exit" ? null : limitWaitMs({ resetsAtMs, wallMs, inARow: soFar.limitsInARow });
  return ms === null ? stop : { kind: "wait", why: "limit", ms, failure: null };
}

/** How long a usage limit is waited for; null: nobody knows, or it is out of bounds. */
export function limitWaitMs(limit: {
  readonly resetsAtMs: number | null;
  readonly wallMs: number;
  /** Limits met one after the other, this one included. */
  readonly inARow: number;
}): number | null {
  if (limit.resetsAtMs === null || limit.inARow > MOST_LIMITS_IN_A_ROW) return null;
  const ms = Math.max(0, limit.resetsAtMs + AFTER_RESET_MS - limit.wallMs);
  return ms > LONGEST_LIMIT_WAIT_MS ? null : ms;
}

/** B4. */
function backoffOf({ failure }: LoopSoFar, { backoffMs }: LoopLimits): number {
  if (failure === null || backoffMs === 0) return 0;
  const doubled = backoffMs * 2 ** Math.min(failure.times - 1, 20);
  return Math.min(doubled, Math.max(LONGEST_BACKOFF_MS, backoffMs));
}

const SIGNALS: Readonly<Record<string, number>> = { SIGHUP: 1, SIGINT: 2, SIGQUIT: 3, SIGTERM: 15 };

/** How the loop itself exits (docs/loop.md). */
export function loopExitCode(
  soFar: LoopSoFar,
  why: StopWhy,
  now: Pick<LoopNow, "signal" | "isGoalReached">,
): number {
  const lastCode = soFar.last?.code ?? 0;
  switch (why) {
    case "goal":
    case "stop-file":
      return 0;
    case "signal":
      return 128 + (SIGNALS[now.signal ?? ""] ?? 0);
    case "limit":
      return 75;
    case "suspended":
    case "no-progress":
      return 1;
    case "asked":
      return lastCode;
    case "max":
    case "max-time":
      // The goal was named and is not reached: that is not success, however well the last session ended.
      return lastCode === 0 && now.isGoalReached === false ? 1 : lastCode;
    default:
      return why satisfies never;
  }
}
