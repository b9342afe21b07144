/** Recovers every session of the store, each in its own workspace where that can be found: the library's `recover`. */
import type { Recovered } from "../conversation/close-left-open.ts";
import type { SessionId } from "../model/ids.ts";
import type { Store } from "../store/store.ts";
import type { Workspace } from "../workspace/opening/workspace.ts";
import { clearRunFolders } from "./clear-run-folders.ts";
import { mayNeedRecovery, type RecoverOptions, type RecoveryOutcome, recoverOne } from "./recover-one.ts";

export interface RecoveredSession extends Recovered {
  readonly session: string;
}

export interface RecoverAllOptions extends Omit<RecoverOptions, "place"> {
  /** Null: not a work tree on this machine, so nothing is captured. */
  readonly workspaceAt: (place: string) => Workspace | null;
}

export async function recoverSessions(store: Store, options: RecoverAllOptions): Promise<RecoveryOutcome[]> {
  const found: RecoveryOutcome[] = [];
  const ids: SessionId[] = [];
  for await (const row of store.everySession()) {
    ids.push(row.id);
    if (!mayNeedRecovery(row)) continue;
    const place = typeof row.facts.workspace === "string" ? row.facts.workspace : "";
    const outcome = await recoverOne(store, options.workspaceAt(place), row, { ...options, place });
    if (outcome) found.push(outcome);
  }
  await clearRunFolders(store, ids, options);
  return found;
}

/** Those that were closed by it, with what was closed. */
export const recoveredIn = (outcomes: readonly RecoveryOutcome[]): RecoveredSession[] =>
  outcomes.flatMap((outcome) =>
    outcome.kind === "recovered" && outcome.recovered
      ? [{ session: outcome.session, ...outcome.recovered }]
      : [],
  );
