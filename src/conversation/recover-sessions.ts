/** Settling every session whose owner is gone: each is claimed, settled in that same step, and given back. */
import { selfOwner } from "../platform/identity.ts";
import { Held, takeClaim } from "../session/claims.ts";
import { describeSession } from "../session/describe.ts";
import { newRecord } from "../session/new-record.ts";
import type { Store } from "../store/store.ts";
import { openThings } from "./begin.ts";
import { type Recovered, settle } from "./settle.ts";

export interface RecoveredSession extends Recovered {
  readonly session: string;
}

export async function recoverSessions(store: Store): Promise<RecoveredSession[]> {
  const found: RecoveredSession[] = [];
  const owner = selfOwner("recovery");
  for await (const row of store.everySession()) {
    const { state } = await describeSession(store, row);
    if (state !== "interrupted") continue;
    let recovered: Recovered | null = null;
    try {
      const { attempt } = await takeClaim(store, {
        session: row.id,
        owner,
        records: async (seen) => {
          const dirtyEnds = Number(seen.row?.facts.dirty_ends ?? 0) + 1;
          const settled = settle(
            store.clock,
            await openThings(store, row.id, seen),
            seen.decision.cause ?? "unknown",
            dirtyEnds,
          );
          recovered = settled.recovered;
          return settled.records;
        },
      });
      await store.release(row.id, attempt, [newRecord(store.clock, "claim.released", { attempt })]);
    } catch (thrown) {
      if (thrown instanceof Held) continue; // another process was faster: it settles it
      throw thrown;
    }
    if (recovered) found.push({ session: row.id, ...(recovered as Recovered) });
  }
  return found;
}
