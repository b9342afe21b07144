/** What the kernel and the claims say of processes, in the words of the leftover rules. */
import { livenessOf } from "../platform/liveness.ts";
import {
  environmentOf,
  isInOurNamespace,
  listProcesses,
  type ProcessRow,
  userOf,
  wordsOf,
} from "../platform/process-list.ts";
import type { Store } from "../store/store.ts";
import { type IsSharedServer, type LeftoverQuery, MARK_VARIABLE, type ProcessFacts } from "./leftovers.ts";

export function gatherProcesses(): ProcessFacts[] | null {
  return listProcesses()?.map(processFacts) ?? null;
}

function processFacts(row: ProcessRow): ProcessFacts {
  const found = environmentOf(row.pid, MARK_VARIABLE);
  const mark = found.kind === "is" ? found.value : null;
  // Asked only of those it matters for: most processes of a machine carry no mark.
  const isOurs = mark !== null && userOf(row.pid) === ourUser() && isInOurNamespace(row.pid);
  return { ...row, mark, isOurs };
}

const ourUser = (): number => process.geteuid?.() ?? -1;

/** Left out: no room that knows agents asks, and none is shared. */
export const sharedByCommand =
  (isSharedServer: IsSharedServer | undefined): LeftoverQuery["isShared"] =>
  (pid) =>
    isSharedServer?.(wordsOf(pid) ?? []) === true;

/** The processes on this host that hold a live session: nobody may stop them as somebody else's leftover (S2). */
export async function liveOwners(store: Store): Promise<{ pid: number; started: number | null }[]> {
  const found: { pid: number; started: number | null }[] = [];
  for await (const { claim } of store.everySession()) {
    if (claim.owner && livenessOf(claim.owner).kind === "alive")
      found.push({ pid: claim.owner.pid, started: claim.owner.started });
  }
  return found;
}
