/** A claim as it stands: who holds it, since when, and what can be proved about them (K2). */
import type { Liveness, Owner } from "../../model/owner.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import type { Store } from "../../store/store.ts";
import { isByWord, isOfFile, standingOfClaim } from "../../workflow/claim-owner.ts";
import type { StepClaimNow } from "../../workflow/claims-now.ts";

export interface ClaimView {
  readonly session: string;
  readonly name: string | null;
  readonly attempt: number;
  /** False: the next one may take it at once. */
  readonly held: boolean;
  readonly owner: Owner | null;
  /** What speaks for the owner: its process; a name or a session, that has none of its own (K5); or only the state file. Null: nobody holds it. */
  readonly heldBy: "process" | "word" | "file" | null;
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
    heldBy: heldBy(claim.owner),
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
    heldBy: heldBy(owner),
    liveness,
    since: isoOrNull(sinceMs),
    heartbeat_at: isoOrNull(heartbeatMs),
  };
}

function heldBy(owner: Owner | null): ClaimView["heldBy"] {
  if (!owner) return null;
  if (isOfFile(owner)) return "file";
  return isByWord(owner) ? "word" : "process";
}

const isoOrNull = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());
