/**
 * What plans that stand did in a session's name, path by path: whether its held work was put into this tree, and what of it
 * was committed, parked or discarded, here or in the tree that lay here before (W8, DESIGN 15). Order is the plans' own
 * (D3): the newest that touched a path tells.
 */
import type { SessionId } from "../../model/ids.ts";
import type { PathName } from "../../model/path-name.ts";
import { stateKey } from "../../model/path-state.ts";
import type { Store } from "../../store/store.ts";
import { blobId } from "../../workspace/git/landed.ts";
import type { Workspace } from "../../workspace/opening/workspace.ts";
import type { FindActed, PathAct } from "../../workspace/unsettled/held-unsettled.ts";
import { historyOf } from "./history.ts";
import { type Plan, plansOf } from "./plans.ts";

/** Plans looked at, newest first: each holds two states of every path. */
const MAX_PLANS = 200;

const BRINGS: ReadonlySet<string> = new Set(["restore", "unpark", "recreate"]);
const SETTLES: ReadonlySet<string> = new Set(["settle", "commit", "park", "discard"]);

/** The trees in which it was done: where somebody stands comes first. */
export const actedInName: FindActed = async (store, workspace, session, roots) => {
  const acted = new Map<PathName, PathAct>();
  for (const root of new Set(roots))
    for (const plan of await standing(
      store,
      workspace?.root === root ? workspace : { kind: "folder", root },
    )) {
      const isHere = workspace?.root === root && !plan.isOfOtherTree;
      for (const [path, one] of told(plan, session, { isHere })) if (!acted.has(path)) acted.set(path, one);
    }
  return acted;
};

/** Newest first, those of a tree that lay there before with them. */
async function standing(store: Store, workspace: Workspace): Promise<readonly Plan[]> {
  const plans: Plan[] = [];
  for await (const plan of plansOf(store, workspace)) {
    plans.push(plan);
    if (plans.length === MAX_PLANS) break;
  }
  const byId = new Map(plans.map((plan) => [plan.id, plan]));
  const asOne = plans.map((plan) => ({ ...plan, isOfOtherTree: false }));
  return historyOf(asOne).standing.flatMap(({ id }) => byId.get(id) ?? []);
}

function* told(
  plan: Plan,
  session: SessionId,
  { isHere }: { readonly isHere: boolean },
): Generator<[PathName, PathAct]> {
  const isDone = ({ group }: { readonly group: string }): boolean => !plan.back.has(group);
  const isBringing = BRINGS.has(plan.act) && isHere;
  // A work tree that came back as a whole came back with whatever lay in it.
  if (plan.session !== session && plan.act !== "recreate") return;
  if (isBringing) for (const { path } of plan.puts.filter(isDone)) yield [path, { kind: "brought" }];
  if (!SETTLES.has(plan.act)) return;
  for (const { path, expect } of plan.puts.filter(isDone))
    yield [path, { kind: "settled", isOf: async (key) => key === stateKey(expect) }];
  const ids = new Map(plan.index.filter(isDone).map(({ path, put }) => [path, put.map(({ id }) => id)]));
  for (const [path, put] of ids)
    yield [path, { kind: "settled", isOf: async (_key, bytes) => isAmong(put, await bytes()) }];
}

const SHA256_CHARS = 64;

/** Whether git calls these bytes by one of these names. */
function isAmong(ids: readonly string[], bytes: Uint8Array | null): boolean {
  if (bytes === null) return ids.length === 0;
  return ids.some((id) => blobId(bytes, id.length === SHA256_CHARS ? "sha256" : "sha1") === id);
}
