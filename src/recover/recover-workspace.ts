/**
 * Recovers every session of a workspace whose owner is dead, before anything else is begun or written there. Called by
 * every command that begins work or may write; reading commands call `surveySession` and change nothing.
 */
import type { Store } from "../store/store.ts";
import type { Workspace } from "../workspace/opening/workspace.ts";
import { sessionsOf } from "../workspace/sessions/workspace-sessions.ts";
import { clearRunFolders } from "./clear-run-folders.ts";
import { mayNeedRecovery, type RecoverOptions, type RecoveryOutcome, recoverOne } from "./recover-one.ts";
import { stopLateLeftovers } from "./stop-late-leftovers.ts";

export async function recoverWorkspace(
  store: Store,
  workspace: Workspace,
  options: RecoverOptions,
): Promise<RecoveryOutcome[]> {
  const places = [workspace.root, ...(options.place === undefined ? [] : [options.place])];
  const outcomes: RecoveryOutcome[] = [];
  const rows = await sessionsOf(store, places);
  for (const row of rows) {
    if (!mayNeedRecovery(row)) continue;
    const outcome = await recoverOne(store, workspace, row, options);
    if (outcome) outcomes.push(outcome);
  }
  if (options.stopping) await stopLateLeftovers(store, rows, options.stopping.onFound);
  const ids = rows.map(({ id }) => id);
  await clearRunFolders(store, ids, options);
  return outcomes;
}
