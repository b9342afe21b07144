/**
 * The order to stop, whoever gives it (`refloat stop`, `gateway.stop`, `store.stop`, `session.stop`): durable, with what waited
 * taken out of the queue in the same change, so that nothing queued behind is begun (L4). The turn that runs is ended as
 * cancelled by its owner, or by whoever finds its owner dead (stop-asked.ts).
 */
import { RefloatError } from "../model/errors.ts";
import type { SessionId } from "../model/ids.ts";
import { MAX_RECORDS_PER_CHANGE } from "../model/limits.ts";
import type { NewRecord } from "../model/record.ts";
import { newRecord } from "../session/new-record.ts";
import type { Store } from "../store/store.ts";

/** Each round one input left the queue between looking and writing; more than this is no race. */
const MAX_ROUNDS = 20;
/** One record of a change is the order itself. A longer queue is dropped in several changes, the order in the first. */
const DROPS_PER_CHANGE = MAX_RECORDS_PER_CHANGE - 1;

/** The inputs that were dropped. What comes after it is answered as ever. */
export async function orderStop(store: Store, session: SessionId, reason: string): Promise<string[]> {
  const asked = newRecord(store.clock, "stop.asked", { reason });
  const { head } = (await store.session(session)) ?? { head: 0 };
  const order = { store, session, reason };
  const dropped = await dropSome(order, [asked], Number.POSITIVE_INFINITY);
  for (let some = dropped; some.length === DROPS_PER_CHANGE; dropped.push(...some))
    some = await dropSome(order, [], head);
  return dropped;
}

interface Order {
  readonly store: Store;
  readonly session: SessionId;
  readonly reason: string;
}

async function dropSome(
  { store, session, reason }: Order,
  first: readonly NewRecord[],
  toSeq: number,
): Promise<string[]> {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const waiting = await store.open(session, { what: ["input"], limit: DROPS_PER_CHANGE });
    const inputs = waiting.filter(({ seq }) => seq <= toSeq).map(({ id }) => id);
    const drops = inputs.map((input) =>
      newRecord(store.clock, "input.dropped", { input, reason: `asked to stop: ${reason}` }),
    );
    if (first.length + drops.length === 0) return [];
    try {
      await store.append(session, "anyone", [...first, ...drops]);
      return inputs;
    } catch (thrown) {
      const isTaken = thrown instanceof RefloatError && thrown.code === "E_NOT_OPEN";
      if (!isTaken) throw thrown;
    }
  }
  throw new RefloatError("E_STORE_BUSY", { ms: 0 });
}
