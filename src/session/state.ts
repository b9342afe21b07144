/** A session's state as DESIGN 9 names it, from what the store holds and what the kernel says. Pure. */
import type { Liveness } from "../model/owner.ts";
import type { OpenRow, SessionRow } from "../store/driver.ts";
import { decideClaim } from "./decide-claim.ts";

export type SessionState = "live" | "idle" | "interrupted" | "suspended" | "finished";

export interface StateFacts {
  readonly row: SessionRow;
  readonly open: readonly OpenRow[];
  /** Null when nobody holds the claim. */
  readonly liveness: Liveness | null;
  readonly nowMs: number;
}

export function stateOf({ row, open, liveness, nowMs }: StateFacts): SessionState {
  if (row.claim.owner && decideClaim(row.claim, liveness, nowMs).kind === "held") return "live";
  if (typeof row.facts.suspended === "string") return "suspended"; // L4: suspended beats interrupted
  if (row.facts.ended_at_ms !== null && row.facts.ended_at_ms !== undefined) return "finished";
  const isOpen = open.some(({ what }) => what === "turn" || what === "call" || what === "message");
  return isOpen ? "interrupted" : "idle"; // L5: idle is not interrupted
}
