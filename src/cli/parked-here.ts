/** What is parked in a workspace, with the plans it lies in. */
import { statSync } from "node:fs";
import { historyOf } from "../acts/history.ts";
import { type Parked, parkedIn } from "../acts/park.ts";
import { type Plan, plansOf } from "../acts/plans.ts";
import { RefloatError } from "../model/errors.ts";
import type { Store } from "../store/store.ts";
import { openWorkspace, type Workspace } from "../workspace/workspace.ts";
import type { Context } from "./context.ts";

/** Plans looked at, newest first: each holds two states of every path. */
const MAX_PLANS = 1000;
const MIN_PREFIX_CHARS = 4;

export interface ParkedHere {
  readonly parked: readonly Parked[];
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

export function parkedNamed(parked: readonly Parked[], typed: string): Parked {
  const exact = parked.find(({ name }) => name === typed);
  const begun = typed.length >= MIN_PREFIX_CHARS ? parked.filter(({ name }) => name.startsWith(typed)) : [];
  const found = exact ?? (new Set(begun.map(({ name }) => name)).size === 1 ? begun[0] : undefined);
  if (!found) throw new RefloatError("E_NO_PARKED", { what: typed });
  return found;
}

/** The names of what is parked from a work tree, wherever it is; of one that is gone nothing is told. */
export async function parkedFrom(context: Context, root: string, env: NodeJS.ProcessEnv): Promise<string[]> {
  const store = await context.findStore();
  if (!store || !statSync(root, { throwIfNoEntry: false })?.isDirectory()) return [];
  const { parked } = await parkedHere(store.raw, openWorkspace(root, { env }));
  return parked.map(({ name }) => name);
}
