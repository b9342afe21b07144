/**
 * Looking at every conversation of the gateway: read only. What has nothing open and nothing interrupted is idle
 * (L5). An interruption is seen on the row; what else is open is read only where there is none.
 */
import type { SessionId } from "../model/ids.ts";
import { decideClaim } from "../session/decide-claim.ts";
import type { OpenRow, SessionRow } from "../store/contract/driver.ts";
import { type AskLiveness, askedOnce, livenessOfHolder } from "../store/holder.ts";
import type { Store } from "../store/store.ts";
import type { InboxPlace } from "./inbox.ts";
import { interruptedTurn } from "./interruption.ts";

/** Reads handed to the store at the same time; more would only queue there. */
const AT_ONCE = 100;
const WORK: readonly OpenRow["what"][] = ["call", "message", "input", "delivery"];

export interface SurveyedConversation {
  readonly row: SessionRow;
  /** Somebody alive, or not provably dead, has it: leave it to them (K2). */
  readonly isHeld: boolean;
}

/** Something waits in it: an input to be answered, an answer to be delivered, a call nobody ended. */
export const hasOpenWork = async (store: Store, id: SessionId): Promise<boolean> =>
  (await store.open(id, { what: WORK, limit: 1 })).length > 0;

/** `idleAt`: heads at which a conversation was idle before; one that has not moved since is not read again. */
export async function survey(
  store: Store,
  place: InboxPlace,
  idleAt: Map<SessionId, number>,
): Promise<SurveyedConversation[]> {
  const rows: SessionRow[] = [];
  for await (const row of store.everySession({ workspace: place.workspace })) {
    const mayHaveWork = row.claim.owner !== null || idleAt.get(row.id) !== row.head;
    if (row.facts.agent === place.agent && mayHaveWork) rows.push(row);
  }
  const found: SurveyedConversation[] = [];
  // The many conversations of one dead process are one question about it.
  const ask = askedOnce();
  for (let from = 0; from < rows.length; from += AT_ONCE) {
    const some = rows.slice(from, from + AT_ONCE);
    const isWork = await Promise.all(
      some.map((row) => interruptedTurn(row) !== null || hasOpenWork(store, row.id)),
    );
    for (const [i, row] of some.entries()) {
      if (isWork[i]) found.push({ row, isHeld: isHeld(store, row, ask) });
      else if (row.claim.owner === null) idleAt.set(row.id, row.head);
    }
  }
  return found;
}

function isHeld(store: Store, row: SessionRow, ask: AskLiveness): boolean {
  const { liveness } = livenessOfHolder(row, ask);
  return decideClaim(row.claim, liveness, store.clock.nowMs()).kind === "held";
}
