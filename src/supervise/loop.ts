/**
 * Session after session (DESIGN 10): what an earlier one left is recovered and settled, the next one is told, and when
 * to go on, wait or stop is decided by decide-loop.ts. Needs no terminal and nobody who looks on.
 *
 * What a loop leans on is handed in: the sessions, recovery, settling and the brief are other rooms' work.
 */
import type { Clock } from "../platform/clock.ts";
import { count } from "../text/counting.ts";
import { boundedWait } from "./bounded-wait.ts";
import {
  afterSession,
  decideNext,
  type LoopLimits,
  type LoopNow,
  type LoopSoFar,
  type LoopStep,
  loopExitCode,
  NOTHING_YET,
  type SessionEnd,
  type StopWhy,
} from "./decide-loop.ts";

export interface LoopParts {
  readonly clock: Clock;
  /** Proves deaths, settles open calls, stops leftovers. Says which session of this loop is suspended, if one is. */
  recover(): Promise<{ readonly suspended: string | null }>;
  /** Settles what this session left, by the user's policy. */
  settle(session: string): Promise<void>;
  /** Ends a suspension that the user's own `--suspend-after` does not want yet; recorded. */
  lift(session: string): Promise<void>;
  /** Nothing moves any more: no automatic start until somebody lifts it (L2). */
  suspend(session: string, reason: string): Promise<void>;
  /** Writes the brief for the next session, if there is anything to tell. */
  handoff(): Promise<HandoffFile>;
  session(given: SessionStart): Promise<SessionEnd>;
  /** Null: no goal was named. */
  isGoalReached(): Promise<boolean | null>;
  hasStopFile(): boolean;
  /** The signal that asked for the end, if one came. */
  signal(): NodeJS.Signals | null;
  tell(news: LoopNews): Promise<void>;
}

export interface HandoffFile {
  readonly path: string;
  readonly text: string;
  /** There is nothing to tell: no session came before. */
  readonly isEmpty: boolean;
}

export interface SessionStart {
  readonly number: number;
  readonly handoff: HandoffFile;
  /** What is left of the loop's time; null: no bound of the loop's. */
  readonly timeoutMs: number | null;
}

/** What happens, for the log and for whoever is to be notified. */
export type LoopNews =
  | { readonly kind: "begins"; readonly number: number; readonly hasHandoff: boolean }
  | { readonly kind: "ended"; readonly number: number; readonly end: SessionEnd }
  | { readonly kind: "waits"; readonly step: LoopStep & { readonly kind: "wait" }; readonly untilMs: number }
  | { readonly kind: "countdown"; readonly leftMs: number }
  | {
      readonly kind: "stops";
      readonly why: StopWhy;
      readonly soFar: LoopSoFar;
      /** The session that keeps the loop from going on; null: none is suspended. */
      readonly suspended: string | null;
    };

export interface LoopOutcome {
  readonly why: StopWhy;
  readonly code: number;
  readonly soFar: LoopSoFar;
}

export async function runLoop(parts: LoopParts, limits: LoopLimits): Promise<LoopOutcome> {
  const beganMs = parts.clock.monotonicMs();
  let soFar = NOTHING_YET;
  let isRested = false;
  const { suspended } = await parts.recover();
  for (;;) {
    const now = await look(parts, beganMs);
    const isToStop = now.signal !== null || now.hasStopFile || now.isGoalReached === true;
    // L4: what was suspended before this loop began is not gone on from by itself.
    const step: LoopStep =
      suspended !== null && soFar.sessions === 0 && !isToStop
        ? { kind: "stop", why: "suspended" }
        : decideNext(soFar, limits, now, { isRested });
    switch (step.kind) {
      case "stop": {
        if (step.why === "no-progress" && soFar.last) {
          const reason = `${count(soFar.withoutProgress, "session")} in a row without progress`;
          await parts.suspend(soFar.last.session, reason);
        }
        const isSuspended = step.why === "no-progress" || step.why === "suspended";
        const session = isSuspended ? (soFar.last?.session ?? suspended) : null;
        await parts.tell({ kind: "stops", why: step.why, soFar, suspended: session });
        return { why: step.why, code: loopExitCode(soFar, step.why, now), soFar };
      }
      case "wait":
        await wait(parts, step);
        isRested = true;
        break;
      case "start":
        soFar = await oneSession(parts, limits, soFar, step.timeoutMs);
        isRested = false;
        break;
      default:
        step satisfies never;
    }
  }
}

async function look(parts: LoopParts, beganMs: number): Promise<LoopNow> {
  const hasStopFile = parts.hasStopFile();
  const signal = parts.signal();
  // Asked to stop, nothing else is started, not even a look at the goal.
  const isGoalReached = hasStopFile || signal !== null ? null : await parts.isGoalReached();
  const { clock } = parts;
  return {
    wallMs: clock.nowMs(),
    elapsedMs: clock.monotonicMs() - beganMs,
    signal: parts.signal(),
    hasStopFile,
    isGoalReached,
  };
}

async function oneSession(
  parts: LoopParts,
  limits: LoopLimits,
  soFar: LoopSoFar,
  timeoutMs: number | null,
): Promise<LoopSoFar> {
  const number = soFar.sessions + 1;
  const handoff = await parts.handoff();
  await parts.tell({ kind: "begins", number, hasHandoff: !handoff.isEmpty });
  const ended = await parts.session({ number, handoff, timeoutMs });
  const { suspended } = await parts.recover();
  const isSuspended = suspended === ended.session;
  const end = isSuspended ? await suspendedEnd(parts, limits, afterSession(soFar, ended), ended) : ended;
  await parts.tell({ kind: "ended", number, end });
  await parts.settle(end.session);
  return afterSession(soFar, end);
}

/** Recovery counts to three (L2); whoever gave this loop another number has the last word in it. */
async function suspendedEnd(
  parts: LoopParts,
  { suspendAfter }: LoopLimits,
  { withoutProgress }: LoopSoFar,
  end: SessionEnd,
): Promise<SessionEnd> {
  if (suspendAfter !== null && withoutProgress >= suspendAfter) return { ...end, state: "suspended" };
  await parts.lift(end.session);
  return end;
}

/** Ended early by a signal or the stop file. */
async function wait(parts: LoopParts, step: LoopStep & { readonly kind: "wait" }): Promise<void> {
  const { clock } = parts;
  const { ms, why } = step;
  await parts.tell({ kind: "waits", step, untilMs: clock.nowMs() + ms });
  const isEnded = (): boolean => parts.signal() !== null || parts.hasStopFile();
  await boundedWait({
    clock,
    ms,
    why,
    isEnded,
    onLeft: (leftMs) => parts.tell({ kind: "countdown", leftMs }),
  });
}
