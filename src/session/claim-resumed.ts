/**
 * The claim of a session that is gone on with in a tree that was made ready for it. Between that and the claim another machine may have done
 * both: what it did is not in this tree; and it may have been ended or suspended by order. Whoever gets the claim says where the session
 * is, in the same transaction, and what it says was decided on all that the session holds by then (K1, W8, L4).
 */
import { RefloatError } from "../model/errors.ts";
import { agentReadUnder, type Owner } from "../model/owner.ts";
import { type BodyOf, bodyAs, type NewRecord, type StoredRecord } from "../model/record.ts";
import { hostId } from "../platform/identity.ts";
import type { SessionRow } from "../store/contract/driver.ts";
import { suspendedFor, workspaceIn } from "../store/contract/session-facts.ts";
import type { Store } from "../store/store.ts";
import { takeClaim } from "./claims.ts";
import { isWorkBegun } from "./last-attempt.ts";
import { newRecord } from "./new-record.ts";

export interface ResumedClaim {
  readonly owner: Owner;
  /** Of `session.moved`, where another machine said meanwhile that it is there. */
  readonly why: BodyOf<"session.moved">["reason"];
  /** As it was when it was decided to go on with it; left out: as it was when its tree was made ready. */
  readonly looked?: SessionRow;
}

/** `ready`: as it was when its tree was. Throws E_FENCED, E_RESUME_FINISHED, E_RESUME_SUSPENDED, or Held. */
export async function claimResumed(
  store: Store,
  ready: SessionRow,
  { owner, why, looked = ready }: ResumedClaim,
): Promise<number> {
  const { attempt } = await takeClaim(store, {
    session: ready.id,
    owner,
    isWhole: true,
    records: async ({ row }) => {
      if (!row) return [];
      assertNotEndedSince(looked, row);
      return backHere(store, ready, row, why);
    },
  });
  return attempt;
}

/** One that had ended by then, or whose end was lifted, was looked at as such. */
function assertNotEndedSince(looked: SessionRow, now: SessionRow): void {
  const session = now.id;
  const why = suspendedFor(now);
  if (why !== null && suspendedFor(looked) === null)
    throw new RefloatError("E_RESUME_SUSPENDED", { session, why });
  const endedAt = now.facts.ended_at_ms ?? null;
  if (endedAt !== null && endedAt !== (looked.facts.ended_at_ms ?? null))
    throw new RefloatError("E_RESUME_FINISHED", { session });
}

async function backHere(
  store: Store,
  ready: SessionRow,
  now: SessionRow,
  reason: string,
): Promise<NewRecord[]> {
  const order = { session: ready.id, fromSeq: ready.head + 1, kinds: ["claim.taken"] } as const;
  const worked = (await store.records(order)).find((record) => isWorkBegun(record) && !isReadHere(record));
  if (worked) {
    const { attempt } = ready.claim;
    const current = worked.attempt ?? now.claim.attempt;
    throw new RefloatError("E_FENCED", { session: ready.id, attempt, current });
  }
  const [from, to] = [workspaceIn(now), workspaceIn(ready)];
  // In containers it is the same path on every machine.
  if (from === to && now.facts.host === ready.facts.host) return [];
  return [newRecord(store.clock, "session.moved", { from, to, reason, host: hostId() })];
}

/** What a dead agent left was read on this machine: whoever reads does nothing in a tree. Read elsewhere, it may tell of work in another one. */
function isReadHere(record: StoredRecord): boolean {
  const owner = bodyAs(record, "claim.taken")?.owner;
  return owner?.host === hostId() && agentReadUnder(owner.label ?? null) !== null;
}
