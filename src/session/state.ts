/** A session's state as DESIGN 9 names it, from what the store holds and what the kernel says. Pure. */
import type { Liveness } from "../model/owner.ts";
import type { OpenRow, SessionRow } from "../store/contract/driver.ts";
import { decideClaim } from "./decide-claim.ts";
import { nameOf, type SessionLife, type SessionState } from "./lifecycle.ts";

export type { SessionState } from "./lifecycle.ts";

export interface StateFacts {
  readonly row: SessionRow;
  readonly open: readonly OpenRow[];
  /** Of whoever may still work under the claim (holder.ts); null when nobody holds it. */
  readonly liveness: Liveness | null;
  readonly nowMs: number;
}

/** The projections of the store are the same life that the journal's records make one by one (lifecycle.ts). */
export function lifeOf({ row, open, liveness, nowMs }: StateFacts): SessionLife {
  const { facts, claim } = row;
  return {
    isHeld: claim.owner !== null && decideClaim(claim, liveness, nowMs).kind === "held",
    isOpen: open.some(({ what }) => what === "turn" || what === "call" || what === "message"),
    isCutOff: typeof facts.interrupted === "string",
    isFinished: facts.ended_at_ms !== null && facts.ended_at_ms !== undefined,
    isSuspended: typeof facts.suspended === "string",
  };
}

export const stateOf = (facts: StateFacts): SessionState => nameOf(lifeOf(facts));
