/**
 * Whether an interrupted turn is resumed by itself. Pure: one row of a table per answer. An idle conversation
 * never gets here (L5): there must be a turn that began and did not end, however long ago (L1).
 */
import type { GatewayPolicy } from "./policy.ts";

export interface ResumeFacts {
  readonly isSuspended: boolean;
  readonly isAskedToStop: boolean;
  readonly isAuthorised: boolean;
  /** The start's loop guard has tripped. */
  readonly isLoop: boolean;
  /** Dirty ends without progress, this one included. */
  readonly dirtyEnds: number;
  /** When the interruption was found; now, if it has just been. */
  readonly discoveredAtMs: number;
  /** The last time its owner was seen to live. */
  readonly lastSignMs: number;
}

export type LeaveReason =
  | "suspended"
  | "asked-to-stop"
  | "too-many-dirty-ends"
  | "not-authorised"
  | "stale"
  | "restart-loop";

export type ResumeDecision =
  | { readonly kind: "resume" }
  | { readonly kind: "leave"; readonly why: LeaveReason };

export function decideResume(
  facts: ResumeFacts,
  nowMs: number,
  policy: Pick<GatewayPolicy, "freshMs" | "maxDownMs" | "dirtyEnds">,
): ResumeDecision {
  if (facts.isSuspended) return leave("suspended"); // L4: beats everything
  if (facts.isAskedToStop) return leave("asked-to-stop"); // L4: never resumed by itself
  if (facts.dirtyEnds >= policy.dirtyEnds) return leave("too-many-dirty-ends"); // L2
  if (!facts.isAuthorised) return leave("not-authorised");
  if (!isFresh(facts, nowMs, policy)) return leave("stale");
  if (facts.isLoop) return leave("restart-loop");
  return { kind: "resume" };
}

/** From discovery, so that neither a long turn nor a long downtime makes a real interruption look old by itself. */
function isFresh(
  facts: Pick<ResumeFacts, "discoveredAtMs" | "lastSignMs">,
  nowMs: number,
  policy: Pick<GatewayPolicy, "freshMs" | "maxDownMs">,
): boolean {
  const downMs = facts.discoveredAtMs - facts.lastSignMs;
  return downMs <= policy.maxDownMs && nowMs - facts.discoveredAtMs <= policy.freshMs;
}

const leave = (why: LeaveReason): ResumeDecision => ({ kind: "leave", why });
