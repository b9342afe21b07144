/**
 * Recovery of sessions whose owner is dead, for every face: those of a workspace, before work is begun or written there; one, wherever
 * its workspace is; or all of the store. What was found is told. Leftovers are stopped only for the commands
 * that S2 names, and told first.
 */

import { isSharedServer } from "../../agents/shared-servers.ts";
import type { Environment } from "../../platform/places.ts";
import { type RecoverOptions, type RecoveryOutcome, recoverOne } from "../../recover/recover-one.ts";
import { recoverSessions, recoverWorkspace } from "../../recover/recover-sessions.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import { workspaceIn } from "../../store/contract/session-facts.ts";
import type { AskLiveness } from "../../store/holder.ts";
import type { Store } from "../../store/store.ts";
import type { Workspace } from "../../workspace/opening/workspace.ts";
import { openTrustedOrNull } from "../../workspace/trust/open-trusted.ts";
import { type LeftoversOf, type Tell, tellsNobody } from "../telling/news.ts";
import { hearRest, wordsOf } from "./heard-of-dead.ts";

export type RecoverWhere =
  /** `place`: where somebody stands in it: sessions may have been begun there. */
  | { readonly kind: "workspace"; readonly workspace: Workspace; readonly place: string }
  /** `workspace`: left out: its own, where it can be entered; null: nothing is captured. */
  | { readonly kind: "session"; readonly row: SessionRow; readonly workspace?: Workspace | null }
  /** `workspaceAt`: left out: where it can be entered. */
  | { readonly kind: "everywhere"; readonly workspaceAt?: (place: string) => Workspace | null };

export interface RecoverOrder {
  readonly store: Store;
  readonly env: Environment;
  /** The store's folder: run folders lie there. */
  readonly home: string;
  readonly where: RecoverWhere;
  /** S2: what they left running is stopped; left out: it is only listed. */
  readonly stops?: LeftoversOf;
  readonly tell?: Tell;
  readonly liveness?: AskLiveness;
}

export async function recover(order: RecoverOrder): Promise<readonly RecoveryOutcome[]> {
  const { tell = tellsNobody } = order;
  await eraseOrdered(order);
  const outcomes = await recovered(order);
  for (const outcome of outcomes) tell({ kind: "recovery", outcome });
  return outcomes;
}

/** Every command that writes comes by here: what was ordered gone, and broken off, does not wait for the next order to erase. */
async function eraseOrdered({ store, home }: RecoverOrder): Promise<void> {
  if ((await store.driver.orders()).length === 0) return;
  const { finishErasures } = await import("../../store/finish-erasures.ts");
  const { dropKeptAnalysis } = await import("../../salvage/analysis/kept-analysis.ts");
  const { finished } = await finishErasures(store);
  if (finished > 0) dropKeptAnalysis(home);
}

async function recovered(order: RecoverOrder): Promise<readonly RecoveryOutcome[]> {
  const { store, env, where } = order;
  const options = optionsOf(order);
  switch (where.kind) {
    case "workspace":
      return recoverWorkspace(store, where.workspace, { ...options, place: where.place });
    case "session": {
      const place = workspaceIn(where.row);
      const workspace =
        where.workspace === undefined ? openTrustedOrNull(store, place, env) : where.workspace;
      const outcome = await recoverOne(store, workspace, where.row, { ...options, place });
      return outcome ? [outcome] : [];
    }
    case "everywhere": {
      const { workspaceAt = (place: string) => openTrustedOrNull(store, place, env) } = where;
      return recoverSessions(store, { ...options, workspaceAt });
    }
    default:
      return where satisfies never;
  }
}

function optionsOf({ store, env, home, stops, liveness, tell = tellsNobody }: RecoverOrder): RecoverOptions {
  return {
    env,
    home,
    hearRest: (row, inTurn) => hearRest(store, row, { env, home }, inTurn),
    words: wordsOf,
    isSharedServer,
    ...(stops
      ? { stopping: { onFound: (found) => tell({ kind: "stops-leftovers", of: stops, found }) } }
      : {}),
    ...(liveness ? { liveness } : {}),
  };
}
