/** Asked to stop: durable, with everything that waited taken out of the queue, in one change (L4). */
import { RefloatError } from "../model/errors.ts";
import type { SessionId } from "../model/ids.ts";
import { newRecord } from "../session/new-record.ts";
import type { Store } from "../store/store.ts";

/** Each round one input left the queue between looking and writing; more than this is no race. */
const MAX_ROUNDS = 20;

/** The inputs that were dropped. What comes after it is answered as ever. */
export async function orderStop(store: Store, session: SessionId, reason: string): Promise<string[]> {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const inputs = (await store.open(session)).filter(({ what }) => what === "input").map(({ id }) => id);
    try {
      await store.append(session, "anyone", [
        newRecord(store.clock, "stop.asked", { reason }),
        ...inputs.map((input) =>
          newRecord(store.clock, "input.dropped", { input, reason: `asked to stop: ${reason}` }),
        ),
      ]);
      return inputs;
    } catch (thrown) {
      const isTaken = thrown instanceof RefloatError && thrown.code === "E_NOT_OPEN";
      if (!isTaken) throw thrown;
    }
  }
  throw new RefloatError("E_STORE_BUSY", { ms: 0 });
}
