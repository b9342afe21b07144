/** A claim as it stands: who holds it, since when, and what can be proved about them (K2). */
import type { Liveness, Owner } from "../../model/owner.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import type { Store } from "../../store/store.ts";
import { standingOfClaim } from "../../workflow/claim-owner.ts";
import type { StepClaimNow } from "../../workflow/claims-now.ts";

export interface ClaimView {
  readonly session: string;
  readonly name: string | null;
  readonly attempt: number;
  /** False: the next one may take it at once. */
  readonly held: boolean;
  readonly owner: Owner | null;
  readonly liveness: Liveness | null;
  readonly since: string | null;
  readonly heartbeat_at: string | null;
}

export async function claimFacts(store: Store, row: SessionRow): Promise<ClaimView> {
  const { claim } = row;
  const { liveness, isHeld } = await standingOfClaim(store, row);
  return {
    session: row.id,
    name: typeof row.facts.name === "string" ? row.facts.name : null,
    attempt: claim.attempt,
    held: isHeld,
    owner: claim.owner,
    liveness,
    since: claim.owner ? isoOrNull(claim.acquiredAtMs) : null,
    heartbeat_at: isoOrNull(claim.heartbeatAtMs),
  };
}

/** Of a step, or of a state file's lock: by the store, or by the file where only that knows of it. */
export function stepClaimFacts(now: StepClaimNow): ClaimView {
  const { session, name, row, owner, liveness, isHeld, sinceMs, heartbeatMs } = now;
  return {
    session,
    name,
    attempt: row?.claim.attempt ?? 0,
    held: isHeld,
    owner,
    liveness,
    since: isoOrNull(sinceMs),
    heartbeat_at: isoOrNull(heartbeatMs),
  };
}

const isoOrNull = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());
