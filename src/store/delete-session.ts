/**
 * Removing a session whole, by the user's order: the second exception of D2. Its records, what it had open, its row and the contents
 * that only it named are gone from the store's files; of it stays nothing but, where that is wanted, the fact, in a journal of the
 * store's own and in the same transaction. A session that somebody may hold is refused: he would go on writing into it.
 */
import { RefloatError } from "../model/errors.ts";
import { DELETIONS_SESSION, type RecordId, type SessionId } from "../model/ids.ts";
import type { NewRecord } from "../model/record.ts";
import { randomId } from "../platform/random.ts";
import type { SessionRow } from "./contract/driver.ts";
import { encodeRecord } from "./contract/encode-record.ts";
import { livenessOfHolder } from "./holder.ts";
import { describeOwner } from "./refusal-error.ts";
import type { Store } from "./store.ts";

export interface DeleteResult {
  readonly records: number;
  readonly contents: number;
  readonly bytes: number;
}

export interface DeleteOrder {
  readonly session: SessionId;
  /** Also where somebody holds it: what he still writes is refused (E_NO_SESSION). */
  readonly force: boolean;
  /** Why, for the fact that stays; null: none stays. The journal for it must be there. */
  readonly factFor: string | null;
}

/** Of two that take it or write it at the same time one is first; more rounds than this mean something other than a race. */
const MAX_ROUNDS = 20;

export async function deleteSession(store: Store, order: DeleteOrder): Promise<DeleteResult> {
  const { session, force, factFor } = order;
  let before: SessionRow | null = null;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const row = await store.session(session);
    // It was there when we looked first: our own order removed it, whose answer was lost, or somebody else's. What went with it nobody told us.
    if (!row && before) return { records: before.head, contents: 0, bytes: 0 };
    if (!row) {
      // An order before this one may have been killed before the files were cleared.
      await store.driver.deleteSession({ session, seen: { attempt: 0, holder: null }, note: null });
      throw new RefloatError("E_NO_SESSION", { what: session });
    }
    before = row;
    if (!force) assertFree(row);
    const { attempt, owner } = row.claim;
    const outcome = await store.driver.deleteSession({
      session,
      seen: { attempt, holder: owner?.instance ?? null },
      note:
        factFor === null
          ? null
          : { session: DELETIONS_SESSION, record: encodeRecord(fact(store, row, factFor), "anyone").raw },
    });
    if (outcome.kind === "deleted") return outcome.result;
    // Gone, or another's since we looked: looked at again.
  }
  throw new RefloatError("E_STORE_BUSY", { ms: 0 });
}

function assertFree(row: SessionRow): void {
  const { liveness } = livenessOfHolder(row);
  if (liveness === null || liveness.kind === "dead") return;
  const by = row.claim.owner ? describeOwner(row.claim.owner) : "";
  throw new RefloatError("E_HELD", { session: row.id, by, since: "now" });
}

function fact(store: Store, { id: session, head }: SessionRow, reason: string): NewRecord {
  const body = { session, records: head, reason };
  return { id: randomId() as RecordId, kind: "session.deleted", atMs: store.clock.nowMs(), body };
}
