/**
 * The guard over restarts (L2): a gateway that dies again and again while it resumes the same work must stop
 * resuming, or it never comes up. Starts chain by the gap between neighbours, not by a fixed window, so that a
 * slow cycle is seen as well as a fast one; crashes and orderly restarts count alike, when they are discovered.
 * Pure.
 */
import type { GatewayPolicy } from "./policy.ts";

/** An earlier start, newest first in every list. */
export interface EarlierStart {
  readonly atMs: number;
  /** How many conversations it found interrupted; a start with nothing to resume is no part of a loop. */
  readonly interrupted: number;
  /** All it resumed was completed: the loop, if it was one, ended there. */
  readonly isSettled: boolean;
}

export interface LoopDecision {
  /** Starts in the chain, this one included. */
  readonly chain: number;
  readonly isTripped: boolean;
}

export function decideLoop(
  earlier: readonly EarlierStart[],
  interruptedNow: number,
  nowMs: number,
  policy: Pick<GatewayPolicy, "loopGapMs" | "loopStarts">,
): LoopDecision {
  if (interruptedNow === 0) return { chain: 0, isTripped: false };
  let chain = 1;
  let laterMs = nowMs;
  for (const start of earlier) {
    if (start.isSettled) break;
    // A stamp from the future (the clock was set back) counts as adjacent: the guard errs towards stopping.
    if (laterMs - start.atMs > policy.loopGapMs) break;
    laterMs = Math.min(laterMs, start.atMs);
    if (start.interrupted > 0) chain++;
  }
  return { chain, isTripped: chain >= policy.loopStarts };
}
