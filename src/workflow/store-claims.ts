/** The store's claims on the steps of a state file, judged: who has what, whether they are at work, which tokens they were given. */
import type { SessionId } from "../model/ids.ts";
import { bodyAs } from "../model/record.ts";
import { LOCK, stepOfSession } from "../model/workflow-ids.ts";
import type { SessionRow } from "../store/contract/driver.ts";
import type { Store } from "../store/store.ts";
import { isOfFile, sessionOf, standingOfClaim } from "./claim-owner.ts";
import type { KnownClaim, StoreClaim } from "./holders.ts";

/** A file that was put back shows an old token; one older than these counts as a stranger's, whose heartbeat is stale. */
const MAX_KNOWN = 50;

/** `session`: the file's. */
export async function storeClaimsOf(
  store: Store,
  session: SessionId,
): Promise<ReadonlyMap<string, StoreClaim>> {
  const rows = await store.sessions({ prefix: `${session}-` });
  return claimsOfRows(store, rows);
}

/** Of rows of one file. */
export async function claimsOfRows(
  store: Store,
  rows: readonly SessionRow[],
): Promise<ReadonlyMap<string, StoreClaim>> {
  const claims = new Map<string, StoreClaim>();
  for (const row of rows) {
    const step = stepOfSession(row.id);
    if (step !== null) claims.set(step, await storeClaimOf(store, row));
  }
  return claims;
}

export async function storeClaimOf(store: Store, row: SessionRow): Promise<StoreClaim> {
  const { owner, attempt, heartbeatAtMs } = row.claim;
  const known = await knownClaims(store, row.id);
  const { isHeld } = await standingOfClaim(store, row);
  const fromFile = owner !== null && isOfFile(owner);
  return {
    session: row.id,
    owner: owner?.instance ?? null,
    attempt,
    token: known.find((one) => one.attempt === attempt)?.token ?? null,
    isHeld: isHeld && !fromFile && stepOfSession(row.id) !== LOCK,
    isOfFile: fromFile,
    isSession: owner !== null && sessionOf(owner) !== null,
    heartbeatMs: heartbeatAtMs,
    known,
  };
}

async function knownClaims(store: Store, session: SessionId): Promise<readonly KnownClaim[]> {
  const order = "backward" as const;
  const taken = await store.records({ session, kinds: ["claim.taken"], order, limit: MAX_KNOWN });
  return taken.flatMap((record) => {
    const body = bodyAs(record, "claim.taken");
    // A breaker holds it for a moment and shows nothing in the file.
    if (!body || body.why === "broken") return [];
    return [{ attempt: body.attempt, owner: body.owner.instance, token: body.token ?? null }];
  });
}
