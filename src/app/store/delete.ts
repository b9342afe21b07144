/**
 * Removing a session whole, by order of whoever has the store: the one way, of refloat's card and of @refloat/core's. What would lose somebody's work
 * is refused unless it is forced: a session that somebody holds, one whose changes nobody has settled or that came with parked work (W8). A journal of the store's own stays whatever
 * is asked, and a process under a session's mark removes nothing (T2).
 */
import { RefloatError } from "../../model/errors.ts";
import { parseId, type SessionId } from "../../model/ids.ts";
import type { Environment } from "../../platform/places.ts";
import { type DeleteResult, deleteSession } from "../../store/delete-session.ts";
import { finishErasures } from "../../store/finish-erasures.ts";
import type { Store } from "../../store/store.ts";
import { isOwnJournal } from "../../workflow/own-journal.ts";
import { assertNotJudged } from "../../workspace/trust/judged-session.ts";
import type { DeleteOptions } from "./card.ts";
import { keepDeletions } from "./deletions.ts";

export interface DeleteNow extends DeleteOptions {
  readonly store: Store;
  readonly env: Environment;
  readonly session: string;
  /** Why what it left is not settled, as far as the card can tell; null: nothing is. */
  readonly whyUnsettled: (session: SessionId) => Promise<string | null>;
}

export async function deleteNow(order: DeleteNow): Promise<DeleteResult> {
  const { store, env, force = false, keepFact } = order;
  const session = parseId<SessionId>("session", order.session);
  await assertNotJudged(env, store, "erase records");
  if (isOwnJournal(session))
    throw new RefloatError("E_DELETE_REFUSED", { session, why: "it is a journal of the store's own" });
  const why = force ? null : await order.whyUnsettled(session);
  if (why !== null) throw new RefloatError("E_DELETE_REFUSED", { session, why });
  if (keepFact !== undefined) await keepDeletions(store);
  await finishErasures(store);
  return deleteSession(store, { session, force, factFor: keepFact ?? null });
}
