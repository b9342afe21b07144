/** A session's state as DESIGN 9 names it, from what the store holds and what the kernel says. Pure. */

import type { Liveness } from "../model/owner.ts";
import type { OpenRow, SessionRow } from "../store/contract/driver.ts";
import { suspendedFor } from "../store/contract/session-facts.ts";
import { decideClaim } from "./decide-claim.ts";

export const SESSION_STATES = ["live", "idle", "interrupted", "suspended", "finished"] as const;
export type SessionState = (typeof SESSION_STATES)[number];

export interface SessionLife {
  /** Its owner is alive, or cannot be proved dead (K2); or the agent it watched over still is. */
  readonly isHeld: boolean;
  /** A turn, call or message is open. */
  readonly isOpen: boolean;
  /** The last turn was interrupted, and none has ended otherwise since (L1). */
  readonly isCutOff: boolean;
  readonly isFinished: boolean;
  readonly isSuspended: boolean;
}

export interface StateFacts {
  readonly row: SessionRow;
  readonly open: readonly OpenRow[];
  /** Of whoever may still work under the claim (holder.ts); null when nobody holds it. */
  readonly liveness: Liveness | null;
  readonly nowMs: number;
}

/** The projections of the store are the same life that the journal's records make one by one: lifecycle.test.ts holds it (D2). */
export function lifeOf({ row, open, liveness, nowMs }: StateFacts): SessionLife {
  const { facts, claim } = row;
  return {
    isHeld: claim.owner !== null && decideClaim(claim, liveness, nowMs).kind === "held",
    isOpen: open.some(({ what }) => what === "turn" || what === "call" || what === "message"),
    isCutOff: typeof facts.interrupted === "string",
    isFinished: facts.ended_at_ms !== null && facts.ended_at_ms !== undefined,
    isSuspended: suspendedFor(row) !== null,
  };
}

export const stateOf = (facts: StateFacts): SessionState => nameOf(lifeOf(facts));

/** L4: suspended beats interrupted, and what ended. L5: idle is not interrupted. */
export function nameOf(life: SessionLife): SessionState {
  if (life.isHeld) return "live";
  if (life.isSuspended) return "suspended";
  if (life.isFinished) return "finished";
  return life.isOpen || life.isCutOff ? "interrupted" : "idle";
}
