/**
 * Removing a session whole, by the user's order: the second exception of D2. Its records, what it had open, its row and the contents
 * that only it named are gone from the store's files; of it stays nothing but, where that is wanted, the fact, in a journal of the
 * store's own and in the same transaction. A session that somebody may hold is refused: he would go on writing into it.
 *
 * One of many records is written down as ordered (erase-order.ts) and erased page by page first, as by `forget`: what is left to be removed in one
 * transaction are rows of a few bytes each.
 */
import { RefloatError } from "../model/errors.ts";
import { DELETIONS_SESSION, type RecordId, type SessionId } from "../model/ids.ts";
import type { NewRecord } from "../model/record.ts";
import { crashPoint } from "../platform/crash-point.ts";
import { randomId } from "../platform/random.ts";
import type { SessionRow } from "./contract/driver.ts";
import { encodeRecord } from "./contract/encode-record.ts";
import { beginOrder, type DeleteOrdered } from "./erase-order.ts";
import { erasePage, heldError, isHeld, noteOf } from "./forget.ts";
import { pages } from "./forget-selection.ts";
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
    if (!force && isHeld(row)) throw heldError(row);
    const { attempt, owner } = row.claim;
    const seen = { attempt, holder: owner?.instance ?? null };
    const ordered: DeleteOrdered = { what: "delete", session, seen, upTo: row.head, factFor };
    const { result } =
      row.head <= AT_ONCE
        ? await remove(store, ordered)
        : await (await beginOrder(store, ordered)).end(() => deleteOrdered(store, ordered));
    if (result) return { ...result, records: row.head };
    // Gone, or another's since we looked: looked at again.
  }
  throw new RefloatError("E_STORE_BUSY", { ms: 0 });
}

/** Records that go in one transaction as they are: each may have INLINE_BODY_BYTES in its row. */
const AT_ONCE = 64;

interface Removed {
  /** Null: it is gone, or its claim is another by now. */
  readonly result: DeleteResult | null;
  readonly held: readonly string[];
}

/** Also of what is erased in part. Whoever took it since goes on with what is left of it. */
export async function deleteOrdered(store: Store, order: DeleteOrdered): Promise<Removed> {
  const { session, upTo, seen } = order;
  const selector = { session, reason: "it is removed whole" };
  const erased = { contents: 0, bytes: 0 };
  for await (const page of pages(store, { session, upTo, withStory: true }, selector)) {
    const claim = (await store.session(session))?.claim;
    if (!claim || claim.attempt !== seen.attempt || (claim.owner?.instance ?? null) !== seen.holder) break;
    if (page.records.length === 0) break;
    const freed = await erasePage(store, session, page, noteOf(store, selector, { ...page, isLast: false }));
    erased.contents += freed.contents;
    erased.bytes += freed.bytes;
  }
  crashPoint("forget.before-clear");
  const { result } = await remove(store, order);
  if (!result) return { result, held: [] };
  const { records, contents, bytes } = result;
  return {
    result: { records, contents: contents + erased.contents, bytes: bytes + erased.bytes },
    held: [],
  };
}

async function remove(store: Store, { session, seen, upTo, factFor }: DeleteOrdered): Promise<Removed> {
  const outcome = await store.driver.deleteSession({
    session,
    seen,
    note:
      factFor === null
        ? null
        : {
            session: DELETIONS_SESSION,
            record: encodeRecord(fact(store, session, upTo, factFor), "anyone").raw,
          },
  });
  return { result: outcome.kind === "deleted" ? outcome.result : null, held: [] };
}

function fact(store: Store, session: SessionId, records: number, reason: string): NewRecord {
  const body = { session, records, reason };
  return { id: randomId() as RecordId, kind: "session.deleted", atMs: store.clock.nowMs(), body };
}
