/**
 * The claim of a session that is gone on with in a tree that was made ready for it. Between that and the claim another machine may have done
 * both: what it did is not in this tree. Whoever gets the claim says where the session is, in the same transaction (K1, W8).
 */
import { RefloatError } from "../model/errors.ts";
import type { Owner } from "../model/owner.ts";
import { type BodyOf, bodyAs, type NewRecord } from "../model/record.ts";
import { RECOVERY_LABEL } from "../model/recovery-label.ts";
import { hostId } from "../platform/identity.ts";
import type { SessionRow } from "../store/contract/driver.ts";
import { workspaceIn } from "../store/contract/session-facts.ts";
import type { Store } from "../store/store.ts";
import { takeClaim } from "./claims.ts";
import { newRecord } from "./new-record.ts";

/** `ready`: as it was when its tree was. `why`: of `session.moved`, where another machine said meanwhile that it is there. Throws E_FENCED, or Held. */
export async function claimResumed(
  store: Store,
  ready: SessionRow,
  { owner, why }: { readonly owner: Owner; readonly why: BodyOf<"session.moved">["reason"] },
): Promise<number> {
  const { attempt } = await takeClaim(store, {
    session: ready.id,
    owner,
    records: ({ row }) => (row ? backHere(store, ready, row, why) : []),
  });
  return attempt;
}

async function backHere(
  store: Store,
  ready: SessionRow,
  now: SessionRow,
  reason: string,
): Promise<NewRecord[]> {
  const order = { session: ready.id, fromSeq: ready.head + 1, kinds: ["claim.taken"] } as const;
  for (const record of await store.records(order)) {
    const claim = bodyAs(record, "claim.taken");
    // A recovery, ours or another's, closes what is open and does nothing in a tree.
    if (!claim || claim.owner.label === RECOVERY_LABEL) continue;
    const { attempt } = ready.claim;
    throw new RefloatError("E_FENCED", { session: ready.id, attempt, current: claim.attempt });
  }
  const [from, to] = [workspaceIn(now), workspaceIn(ready)];
  // In containers it is the same path on every machine.
  if (from === to && now.facts.host === ready.facts.host) return [];
  return [newRecord(store.clock, "session.moved", { from, to, reason, host: hostId() })];
}
