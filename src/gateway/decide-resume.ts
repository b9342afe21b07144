/**
 * Whether an interrupted turn is resumed by itself. Pure: one row of a table per answer. An idle conversation
 * never gets here (L5): there must be a turn that began and did not end, however long ago (L1).
 */
import type { LoopDecision } from "./decide-loop.ts";
import type { GatewayPolicy } from "./policy.ts";

export interface TurnResumeFacts {
  readonly isSuspended: boolean;
  readonly isAskedToStop: boolean;
  readonly isAuthorised: boolean;
  /** What was decided about this turn before, unless a lift has voided it; null: nothing. */
  readonly left: LeaveReason | null;
  /** What the guard says of this conversation. */
  readonly loop: LoopDecision;
  /** Dirty ends without progress, this one included. */
  readonly dirtyEnds: number;
  /** The last of them may have been a newcomer's doing (recover.ts). */
  readonly isShared: boolean;
  /** A drain's end cut it off: its process was told to end, and nothing in it is suspected of that. */
  readonly isCutByDrain: boolean;
  /** When the interruption was found; now, if it has just been. */
  readonly discoveredAtMs: number;
  /** The last time its owner was seen to live. */
  readonly lastSignMs: number;
}

export const LEAVE_REASONS = [
  "suspended",
  "asked-to-stop",
  "too-many-dirty-ends",
  "not-authorised",
  "stale",
  "restart-loop",
] as const;
export type LeaveReason = (typeof LEAVE_REASONS)[number];

export type TurnResumeDecision =
  | {
      readonly kind: "resume";
      /** One more dirty end would be held against it: it goes on while no other such turn does, so that it is known whose fault it was. */
      readonly isAlone: boolean;
    }
  | {
      readonly kind: "leave";
      readonly why: LeaveReason;
      /** When it is looked at again by itself; null: not by itself. */
      readonly untilMs: number | null;
    };

export function decideResume(
  facts: TurnResumeFacts,
  nowMs: number,
  policy: Pick<GatewayPolicy, "freshMs" | "maxDownMs" | "dirtyEnds" | "loopStarts" | "loopGapMs">,
): TurnResumeDecision {
  if (facts.isSuspended) return leave("suspended"); // L4: beats everything
  if (facts.isAskedToStop) return leave("asked-to-stop"); // L4: never resumed by itself
  if (facts.left !== null && isFinal(facts.left)) return leave(facts.left); // left stays left, until a lift
  // Held before with so many: it was forgiven the last one then, and is with the same one now.
  const forgiven = facts.isShared || facts.left === "restart-loop" ? 1 : 0;
  if (facts.dirtyEnds >= policy.dirtyEnds + forgiven) return leave("too-many-dirty-ends"); // L2
  if (!facts.isAuthorised) return leave("not-authorised");
  if (!isFresh(facts, nowMs, policy)) return leave("stale");
  if (facts.loop.isTripped) return leave("restart-loop", facts.loop.untilMs);
  if (facts.dirtyEnds >= policy.dirtyEnds && facts.left === null)
    return leave("restart-loop", nowMs + policy.loopGapMs); // not beside the newcomer
  return { kind: "resume", isAlone: isSuspect(facts, policy) };
}

/** Time and the application may change their mind about these; nothing but a lift changes the others. */
export function isFinal(why: LeaveReason): boolean {
  switch (why) {
    case "suspended":
    case "asked-to-stop":
    case "too-many-dirty-ends":
    case "stale":
      return true;
    case "not-authorised":
    case "restart-loop":
      return false;
    default:
      return why satisfies never;
  }
}

function isSuspect(
  { dirtyEnds, loop, isCutByDrain }: TurnResumeFacts,
  policy: Pick<GatewayPolicy, "dirtyEnds" | "loopStarts">,
): boolean {
  const isLastTry = dirtyEnds + 1 >= policy.dirtyEnds || loop.chain + 1 >= policy.loopStarts;
  return isLastTry && !isCutByDrain;
}

/** From discovery, so that neither a long turn nor a long downtime makes a real interruption look old by itself. */
function isFresh(
  facts: Pick<TurnResumeFacts, "discoveredAtMs" | "lastSignMs">,
  nowMs: number,
  policy: Pick<GatewayPolicy, "freshMs" | "maxDownMs">,
): boolean {
  const downMs = facts.discoveredAtMs - facts.lastSignMs;
  return downMs <= policy.maxDownMs && nowMs - facts.discoveredAtMs <= policy.freshMs;
}

const leave = (why: LeaveReason, untilMs: number | null = null): TurnResumeDecision => ({
  kind: "leave",
  why,
  untilMs,
});
