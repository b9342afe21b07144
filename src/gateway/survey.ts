/** Looking at every conversation of the gateway: read only. What has nothing open and nothing interrupted is idle (L5). */
import type { SessionId } from "../model/ids.ts";
import { livenessOf } from "../platform/liveness.ts";
import { decideClaim } from "../session/decide-claim.ts";
import type { OpenRow, SessionRow } from "../store/driver.ts";
import type { Store } from "../store/store.ts";
import type { Place } from "./inbox.ts";

/** Reads handed to the store at the same time; more would only queue there. */
const AT_ONCE = 100;
const WORK = new Set<OpenRow["what"]>(["turn", "call", "message", "input", "delivery"]);

export interface Surveyed {
  readonly row: SessionRow;
  readonly open: readonly OpenRow[];
  /** Somebody alive, or not provably dead, has it: leave it to them (K2). */
  readonly isHeld: boolean;
}

/** `idleAt`: heads at which a conversation was idle before; one that has not moved since is not read again. */
export async function survey(
  store: Store,
  place: Place,
  idleAt: Map<SessionId, number>,
): Promise<Surveyed[]> {
  const rows = (await store.sessions({ workspace: place.workspace })).filter(
    ({ id, head, claim, facts }) =>
      facts.agent === place.agent && (claim.owner !== null || idleAt.get(id) !== head),
  );
  const found: Surveyed[] = [];
  for (let from = 0; from < rows.length; from += AT_ONCE) {
    const some = rows.slice(from, from + AT_ONCE);
    const open = await Promise.all(some.map(({ id }) => store.open(id)));
    for (const [i, row] of some.entries()) {
      const surveyed = surveyedOf(store, row, open[i] ?? []);
      if (surveyed) found.push(surveyed);
      else if (row.claim.owner === null) idleAt.set(row.id, row.head);
    }
  }
  return found;
}

function surveyedOf(store: Store, row: SessionRow, open: readonly OpenRow[]): Surveyed | null {
  const hasWork = open.some(({ what }) => WORK.has(what)) || typeof row.facts.interrupted === "string";
  if (!hasWork) return null;
  const liveness = row.claim.owner ? livenessOf(row.claim.owner) : null;
  const isHeld = decideClaim(row.claim, liveness, store.clock.nowMs()).kind === "held";
  return { row, open, isHeld };
}
