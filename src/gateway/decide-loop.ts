/**
 * The guard over restarts (L2): a turn that is resumed and lost again and again must not be resumed any more, or its
 * process never comes up. Only what was resumed by itself and lost again counts, and it counts against that
 * conversation alone: what was left before, starts that resumed nothing, and another conversation's first interruption
 * are no loop. Resumes chain by the gap between neighbours, not by a fixed window, so that a slow cycle is seen as well
 * as a fast one; crashes and a service manager's restarts count alike, what a person ended on purpose does not. It clears with
 * time, and by a lift. Pure.
 */
import type { GatewayPolicy } from "./policy.ts";

export interface LoopFacts {
  /** When it was resumed by itself and lost again, newest first: since somebody asked, or a lift. */
  readonly resumedAtMs: readonly number[];
  /** When the guard held it; null: it did not, or not since. */
  readonly heldAtMs: number | null;
}

export interface LoopDecision {
  /** Interruptions in a row, this one included. */
  readonly chain: number;
  readonly isTripped: boolean;
  /** When a tripped guard lets go by itself. */
  readonly untilMs: number | null;
}

export const NO_LOOP: LoopDecision = { chain: 0, isTripped: false, untilMs: null };

export function decideLoop(
  { resumedAtMs, heldAtMs }: LoopFacts,
  nowMs: number,
  policy: Pick<GatewayPolicy, "loopGapMs" | "loopStarts">,
): LoopDecision {
  const { loopGapMs, loopStarts } = policy;
  // A mark from further ahead than the gap is no time of this clock: it holds nothing, or it would for days.
  const isHeld = heldAtMs !== null && Math.abs(nowMs - heldAtMs) <= loopGapMs;
  const sinceMs = isHeld ? heldAtMs : nowMs;
  let chain = 1;
  let laterMs = sinceMs;
  for (const atMs of resumedAtMs) {
    // A stamp from the future (the clock was set back) counts as adjacent: the guard errs towards stopping.
    if (laterMs - atMs > loopGapMs) break;
    laterMs = Math.min(laterMs, atMs);
    chain++;
  }
  const isTripped = isHeld || chain >= loopStarts;
  return { chain, isTripped, untilMs: isTripped ? sinceMs + loopGapMs : null };
}
