/** What is parked in a workspace, with the plans it lies in. */

import { existsSync, statSync } from "node:fs";
import { ACTS_PREFIX } from "../../acts/plans/acts-session.ts";
import { historyOf } from "../../acts/plans/history.ts";
import { type ParkedChanges, parkedIn } from "../../acts/plans/parked.ts";
import { MAX_PLANS } from "../../acts/plans/parked-along.ts";
import { carriedPlans, type Plan, plansOf } from "../../acts/plans/plans.ts";
import { RefloatError } from "../../model/errors.ts";
import type { SessionId } from "../../model/ids.ts";
import type { Store } from "../../store/store.ts";
import { byBeginning } from "../../text/by-beginning.ts";
import type { Workspace } from "../../workspace/opening/workspace.ts";
import { openTrusted } from "../../workspace/trust/open-trusted.ts";

export interface ParkedHere {
  readonly parked: readonly ParkedChanges[];
  readonly plans: readonly Plan[];
}

export async function parkedHere(store: Store, workspace: Workspace): Promise<ParkedHere> {
  const plans: Plan[] = [];
  for await (const plan of plansOf(store, workspace)) {
    plans.push(plan);
    if (plans.length === MAX_PLANS) break;
  }
  return { parked: parkedIn(historyOf(plans)), plans };
}

/**
 * Everything parked that whoever stands here can bring back (W8): of this tree, of those that lay here before, and of clones and
 * work trees of the same repository that are gone. What was brought back in any of them is parked no more.
 */
export async function parkedInReach(store: Store, workspace: Workspace): Promise<ParkedHere> {
  const plans: Plan[] = [];
  for (const place of [workspace, ...(await goneTrees(store, workspace))])
    for await (const plan of plansOf(store, place)) {
      plans.push(place === workspace ? plan : { ...plan, isOfOtherTree: true });
      if (plans.length === MAX_PLANS) break;
    }
  plans.push(...(await broughtAlong(store, workspace, new Set(plans.map(({ id }) => id)))));
  const history = historyOf(plans.map((plan) => ({ ...plan, isOfOtherTree: false })));
  return { parked: parkedIn(history), plans };
}

/** What is parked of a session whose tree is gone: from the journal of where that was, and what it brought along itself. */
export async function parkedOfGone(store: Store, root: string, session: SessionId): Promise<ParkedHere> {
  const there = root === "" ? [] : (await parkedHere(store, { kind: "folder", root })).plans;
  const known = new Set(there.map(({ id }) => id));
  const along = (await carriedPlans(store, session)).filter(({ id }) => !known.has(id));
  const plans = [...there, ...along];
  const history = historyOf(plans.map((plan) => ({ ...plan, isOfOtherTree: false })));
  return { parked: parkedIn(history), plans };
}

/** By sessions of this repository that were sent here. `known`: those whose own journal is here. */
async function broughtAlong(
  store: Store,
  workspace: Workspace,
  known: ReadonlySet<string>,
): Promise<readonly Plan[]> {
  const carrying = (await store.sessions({})).filter(({ facts }) => facts.carries_parked === true);
  if (carrying.length === 0) return [];
  const { isOfSameRepository } = await import("../../workspace/captures/held-work.ts");
  const plans: Plan[] = [];
  for (const row of carrying)
    if (await isOfSameRepository(row, workspace)) plans.push(...(await carriedPlans(store, row.id)));
  return plans.filter(({ id }) => !known.has(id)).slice(0, MAX_PLANS);
}

/** Told by the safety captures that acts take: they name the repository. */
async function goneTrees(store: Store, workspace: Workspace): Promise<Workspace[]> {
  const gone: Workspace[] = [];
  const { newestCaptures } = await import("../../workspace/captures/captures.ts");
  const { isOfSameRepository } = await import("../../workspace/captures/held-work.ts");
  for (const row of await store.sessions({ prefix: ACTS_PREFIX })) {
    const [taken] = await newestCaptures(store, [row], 1);
    const root = taken?.capture.workspace.path;
    if (root === undefined || root === workspace.root || existsSync(root)) continue;
    const sessions = [row, ...(await store.sessions({ workspace: root }))];
    for (const one of sessions)
      if (await isOfSameRepository(one, workspace)) {
        gone.push({ kind: "folder", root });
        break;
      }
  }
  return gone;
}

export function parkedNamed(parked: readonly ParkedChanges[], typed: string): ParkedChanges {
  const begun = byBeginning(parked, typed, ({ name }) => name);
  const found = new Set(begun.map(({ name }) => name)).size === 1 ? begun[0] : undefined;
  if (!found) throw new RefloatError("E_NO_PARKED", { what: typed });
  return found;
}

/** The names of what is parked from a work tree, wherever it is; of one that is gone nothing is told. */
export async function parkedFrom(
  store: Store | null,
  root: string,
  env: NodeJS.ProcessEnv,
): Promise<string[]> {
  if (!store || !statSync(root, { throwIfNoEntry: false })?.isDirectory()) return [];
  const { parked } = await parkedHere(store, openTrusted(store, root, env));
  return parked.map(({ name }) => name);
}
