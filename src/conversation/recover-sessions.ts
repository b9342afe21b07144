/**
 * Settling every session whose owner is gone: each is claimed, settled in that same step, and given back. The
 * library's way, which knows no workspace; `recover/` adds what a machine can tell (cause, leftovers, captures).
 */
import { RECOVERY_LABEL } from "../model/owner.ts";
import { selfOwner } from "../platform/identity.ts";
import { Held, takeClaim } from "../session/claims.ts";
import { newRecord } from "../session/new-record.ts";
import { lifeOf } from "../session/state.ts";
import type { SessionRow } from "../store/driver.ts";
import { livenessOfHolder } from "../store/holder.ts";
import type { Store } from "../store/store.ts";
import { openThings } from "./begin.ts";
import { findDirtyEnd } from "./dirty-end.ts";
import { type Recovered, settle } from "./settle.ts";
import { suspension } from "./suspension.ts";

export interface RecoveredSession extends Recovered {
  readonly session: string;
}

export async function recoverSessions(store: Store): Promise<RecoveredSession[]> {
  const found: RecoveredSession[] = [];
  const owner = selfOwner(RECOVERY_LABEL);
  for await (const row of store.everySession()) {
    if (!(await isLeftOpen(store, row))) continue;
    let recovered: Recovered | null = null;
    try {
      const { attempt } = await takeClaim(store, {
        session: row.id,
        owner,
        records: async (seen) => {
          const things = await openThings(store, row.id, seen);
          const end = await findDirtyEnd(store, seen.row, things, seen.decision.cause);
          const settled = settle(store.clock, things, end);
          recovered = settled.recovered;
          return [...settled.records, ...suspension(store.clock, seen.row, end)];
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

/** A session that was settled before is interrupted still, and has nothing left to settle. */
async function isLeftOpen(store: Store, row: SessionRow): Promise<boolean> {
  const { liveness } = livenessOfHolder(row);
  const life = lifeOf({ row, open: await store.open(row.id), liveness, nowMs: store.clock.nowMs() });
  return life.isOpen && !life.isHeld && !life.isFinished;
}
