/** The processes on this host that hold a live session: nobody may stop them as somebody else's leftover (S2). */
import { livenessOf } from "../platform/liveness.ts";
import type { Store } from "../store/store.ts";

export async function liveOwners(store: Store): Promise<{ pid: number; started: number | null }[]> {
  const found: { pid: number; started: number | null }[] = [];
  for await (const { claim } of store.everySession()) {
    if (claim.owner && livenessOf(claim.owner).kind === "alive")
      found.push({ pid: claim.owner.pid, started: claim.owner.started });
  }
  return found;
}
