/**
 * The one way to count tries. Recovering takes the claim, which is an attempt of its own (K1), and breaking one, too; nobody
 * tried again by it. So a screen tells of the last attempt that somebody began to work in, and recovery looks there for the
 * agent, its mark and its end.
 */
import type { SessionId } from "../model/ids.ts";
import { bodyAs, type StoredRecord } from "../model/record.ts";
import { RECOVERY_LABEL } from "../model/recovery-label.ts";
import type { SessionRow } from "../store/contract/driver.ts";
import type { Store } from "../store/store.ts";

/** Attempts without work in a row: more than these, and the session is told by its attempt. */
const MAX_LOOKED_AT = 50;

/** False: its row tells. Whoever holds it took it to work in it, but for a recovery. */
export function needsRecords({ claim: { attempt, owner }, facts }: SessionRow): boolean {
  if (typeof facts.gateway === "string") return true;
  return attempt > 1 && (owner === null || owner.label === RECOVERY_LABEL);
}

export async function lastAttempt(store: Store, row: SessionRow): Promise<number> {
  const { id, claim, facts } = row;
  if (!needsRecords(row)) return claim.attempt;
  if (typeof facts.gateway === "string") return triesOfLastInput(store, id);
  const newestFirst = await store.records({
    session: id,
    kinds: ["claim.taken"],
    order: "backward",
    limit: MAX_LOOKED_AT,
  });
  const begun = newestFirst.find((record) => isWorkBegun(record));
  return begun?.attempt ?? claim.attempt;
}

/** A gateway claims a conversation for every message: what it tries again is a turn, and that goes on without an input (C7). */
async function triesOfLastInput(store: Store, session: SessionId): Promise<number> {
  const newestFirst = await store.records({
    session,
    kinds: ["turn.began"],
    order: "backward",
    limit: MAX_LOOKED_AT,
  });
  const asking = newestFirst.findIndex(({ body }) => body.input !== null || body.parts !== null);
  return Math.max(1, (asking < 0 ? newestFirst.length : asking) + 1);
}

/** Of a record of any kind: somebody took the claim to work under it. */
export function isWorkBegun(record: StoredRecord): boolean {
  const taken = bodyAs(record, "claim.taken");
  return taken !== null && taken.why !== "broken" && taken.owner.label !== RECOVERY_LABEL;
}
