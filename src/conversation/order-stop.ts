/**
 * The order to stop, whoever gives it (`refloat stop`, `gateway.stop`, `store.stop`, `session.stop`): durable, with what waited
 * taken out of the queue in the same change, so that nothing queued behind is begun (L4). The turn that runs is ended as
 * cancelled by its owner, or by whoever finds its owner dead (dirty-end.ts).
 */
import { RefloatError } from "../model/errors.ts";
import type { SessionId } from "../model/ids.ts";
import { MAX_RECORDS_PER_CHANGE } from "../model/limits.ts";
import type { NewRecord } from "../model/record.ts";
import type { Clock } from "../platform/clock.ts";
import { newRecord } from "../session/new-record.ts";
import type { SessionRow } from "../store/contract/driver.ts";
import { livenessOfHolder } from "../store/holder.ts";
import type { Store } from "../store/store.ts";

/** Each round one input left the queue between looking and writing; more than this is no race. */
const MAX_ROUNDS = 20;
/** One record of a change is the order itself. A longer queue is dropped in several changes, the order in the first. */
const DROPS_PER_CHANGE = MAX_RECORDS_PER_CHANGE - 1;

/** The inputs that were dropped. What comes after it is answered as ever. */
export async function orderStop(store: Store, session: SessionId, reason: string): Promise<string[]> {
  const asked = stopRecord(store.clock, await store.session(session), reason);
  const order = { store, session, reason };
  const { inputs: dropped, seq } = await dropSome(order, [asked], Number.POSITIVE_INFINITY);
  // What was queued before the order, whenever it is dropped; what came after it is answered.
  for (let some = [...dropped]; some.length === DROPS_PER_CHANGE; dropped.push(...some))
    some = (await dropSome(order, [], seq)).inputs;
  return dropped;
}

/** The order itself, to whoever runs a turn. */
export function stopRecord(clock: Clock, row: SessionRow | null, reason: string): NewRecord {
  const gone = row && isGone(row) ? ({ owner_gone: true } as const) : {};
  return newRecord(clock, "stop.asked", { reason, ...gone });
}

/** Proved dead, or it had given it back: an order does not become the cause of an end that was before it (T1). */
function isGone(row: SessionRow): boolean {
  const { liveness } = livenessOfHolder(row);
  return liveness === null || liveness.kind === "dead";
}

interface OrderedStop {
  readonly store: Store;
  readonly session: SessionId;
  readonly reason: string;
}

async function dropSome(
  { store, session, reason }: OrderedStop,
  first: readonly NewRecord[],
  toSeq: number,
): Promise<{ inputs: string[]; seq: number }> {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const waiting = await store.open(session, { what: ["input"], limit: DROPS_PER_CHANGE });
    const inputs = waiting.filter(({ seq }) => seq <= toSeq).map(({ id }) => id);
    const drops = inputs.map((input) =>
      newRecord(store.clock, "input.dropped", { input, reason: `asked to stop: ${reason}` }),
    );
    if (first.length + drops.length === 0) return { inputs: [], seq: 0 };
    try {
      const { seqs } = await store.append(session, "anyone", [...first, ...drops]);
      return { inputs, seq: seqs[0] ?? 0 };
    } catch (thrown) {
      const isTaken = thrown instanceof RefloatError && thrown.code === "E_NOT_OPEN";
      if (!isTaken) throw thrown;
    }
  }
  throw new RefloatError("E_STORE_BUSY", { ms: 0 });
}
