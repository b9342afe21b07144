/** Erasings that were ordered and broken off by a kill, a full disk, a reader that did not end: the rest of each, by the next command that writes. */
import { RefloatError } from "../model/errors.ts";
import { deleteOrdered } from "./delete-session.ts";
import { takeLeftOrder } from "./erase-order.ts";
import { forgetOrdered } from "./forget.ts";
import type { Store } from "./store.ts";

export interface ErasuresFinished {
  readonly finished: number;
  /** Not yet: a session of it is held, or the store would not. The order stays, and the next one tries again. */
  readonly left: number;
}

export async function finishErasures(store: Store): Promise<ErasuresFinished> {
  const total = { finished: 0, left: 0 };
  for (const row of await store.driver.orders()) {
    try {
      const taken = await takeLeftOrder(store, row);
      if (!taken) continue;
      const { order, end } = taken;
      const { held } = await end(async () =>
        order.what === "forget" ? forgetOrdered(store, order, "again") : deleteOrdered(store, order),
      );
      if (held.length > 0) total.left++;
      else total.finished++;
    } catch (thrown) {
      // Whoever came for something else is not stopped by it: the order stays in the store, and nothing counts as erased.
      if (!(thrown instanceof RefloatError)) throw thrown;
      total.left++;
    }
  }
  return total;
}
