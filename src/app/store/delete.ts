/**
 * Removing a session whole, by order of whoever has the store. What would lose somebody's work is refused unless it is forced: a session that
 * somebody holds, one whose changes nobody has settled or that came with parked work (W8), one with an act that was broken off. A process under a session's mark
 * removes nothing (T2).
 */
import { holdsParked } from "../../acts/plans/parked-along.ts";
import { RefloatError } from "../../model/errors.ts";
import { parseId, type SessionId } from "../../model/ids.ts";
import type { Environment } from "../../platform/places.ts";
import { dropKeptAnalysis } from "../../salvage/analysis/kept-analysis.ts";
import { type DeleteResult, deleteSession } from "../../store/delete-session.ts";
import type { Store } from "../../store/store.ts";
import { isOwnJournal } from "../../workflow/own-journal.ts";
import { assertNotJudged } from "../../workspace/trust/judged-session.ts";
import type { DeleteOptions } from "./card.ts";
import { keepDeletions } from "./deletions.ts";

export interface DeleteNow extends DeleteOptions {
  readonly store: Store;
  readonly env: Environment;
  readonly home: string;
  readonly session: string;
  readonly isUnsettled: (session: SessionId) => Promise<boolean>;
}

export async function deleteNow(order: DeleteNow): Promise<DeleteResult> {
  const { store, env, force = false, keepFact } = order;
  const session = parseId<SessionId>("session", order.session);
  await assertNotJudged(env, store, "erase records");
  if (isOwnJournal(session))
    throw new RefloatError("E_DELETE_REFUSED", { session, why: "it is a journal of the store's own" });
  if (!force && (await order.isUnsettled(session)))
    throw new RefloatError("E_DELETE_REFUSED", {
      session,
      why: "it left changes that nobody has settled, and what is held of them would go with it",
    });
  if (!force && (await holdsParked(store, await store.session(session))))
    throw new RefloatError("E_DELETE_REFUSED", {
      session,
      why: "what came parked with it is parked still (`refloat parked`), and would go with it",
    });
  if (keepFact !== undefined) await keepDeletions(store);
  const done = await deleteSession(store, { session, force, factFor: keepFact ?? null });
  dropKeptAnalysis(order.home);
  return done;
}
