/**
 * Taking back what was done last here, or what is named (DESIGN 15): one plan; the plans of one order, each in its own work tree
 * (`settle --repo`); or work trees that were removed by one order. What is meant is decided here, once.
 */
import { compileRedo, compileUndo } from "../../acts/compilers/undo.ts";
import { ACTS_PREFIX } from "../../acts/plans/acts-session.ts";
import { historyOf } from "../../acts/plans/history.ts";
import { type Plan, plansOf } from "../../acts/plans/plans.ts";
import { RefloatError } from "../../model/errors.ts";
import { READ_PAGE_ROWS } from "../../model/limits.ts";
import { bodyAs } from "../../model/record.ts";
import {
  type RecreatedWorktree,
  type Removal,
  recreateWorktree,
  standingRemovals,
} from "../../salvage/worktrees/recreate-worktree.ts";
import type { Store } from "../../store/store.ts";
import { byBeginning, isLongEnough } from "../../text/by-beginning.ts";
import type { GitWorkspace } from "../../workspace/opening/workspace.ts";
import type { AppPlace } from "../place/app-place.ts";
import { workspaceHere } from "../place/workspace-here.ts";
import type { ActHow, Ask, EndedAct } from "./act.ts";
import { newestPlans, takeBack } from "./take-back.ts";

/** What one `undo` takes back. */
export type UndoMeant =
  /** Newest first in each tree; between trees their order does not matter. */
  | { readonly kind: "order"; readonly plans: readonly string[] }
  | { readonly kind: "removal"; readonly from: GitWorkspace; readonly removals: readonly Removal[] }
  /** Null: the newest that stands. */
  | { readonly kind: "plan"; readonly plan: string | null };

/** `typed`: an order or a plan, or the beginning of one; null: the newest act here. */
export async function undoMeant(at: AppPlace, typed: string | null): Promise<UndoMeant> {
  const store = await at.findStore();
  const plan = { kind: "plan", plan: typed } as const;
  if (!store) return plan;
  const { workspace } = await workspaceHere(at, store);
  const order = typed ?? newestOrder(await newestPlans(store.raw, workspace));
  const plans = order === null ? [] : await plansOfOrder(store.raw, order);
  if (plans.length > 0) return { kind: "order", plans };
  if (workspace.kind === "folder") return plan;
  const removals = await removalsMeant(store.raw, workspace, typed);
  return removals.length > 0 ? { kind: "removal", from: workspace, removals } : plan;
}

/** `plan`: as it was typed; null: the newest that stands. */
export const undoPlan = (at: AppPlace, how: ActHow, plan: string | null): Promise<EndedAct> =>
  takeBack(
    at,
    how,
    "undo",
    (history, plans) => compileUndo(history, plan === null ? null : planNamed(plan, plans)),
    plan,
  );

/** Does again what the last undo took back. */
export const redo = (at: AppPlace, how: ActHow): Promise<EndedAct> => takeBack(at, how, "redo", compileRedo);

/** One plan of an order: what came of it, or why it could not be done. */
export type UndonePart = EndedAct | { readonly kind: "refused"; readonly error: RefloatError };

/** Every plan of an order; one that fails leaves the others to go on. */
export async function undoOrder(
  at: AppPlace,
  how: ActHow,
  plans: readonly string[],
): Promise<readonly UndonePart[]> {
  const parts: UndonePart[] = [];
  for (const plan of plans) parts.push(await undoPart(at, how, plan));
  // What an earlier undo brought back is no failure of this one.
  const rest = parts.filter((one) => one.kind !== "refused" || one.error.code !== "E_NOTHING_TO_UNDO");
  return rest.length > 0 ? rest : parts;
}

async function undoPart(at: AppPlace, how: ActHow, plan: string): Promise<UndonePart> {
  try {
    return await undoPlan(at, how, plan);
  } catch (thrown) {
    if (thrown instanceof RefloatError) return { kind: "refused", error: thrown };
    throw thrown;
  }
}

/** Of the newest act that stands in this tree. */
function newestOrder(plans: readonly Plan[]): string | null {
  const order = historyOf(plans).standing[0]?.data.order;
  return typeof order === "string" ? order : null;
}

async function plansOfOrder(store: Store, order: string): Promise<string[]> {
  if (!isLongEnough(order)) return [];
  const found: { readonly plan: string; readonly order: string }[] = [];
  for (const { id: session } of await store.sessions({ prefix: ACTS_PREFIX })) {
    const kinds = ["plan.made"] as const;
    for (const record of await store.records({ session, kinds, order: "backward", limit: READ_PAGE_ROWS })) {
      const body = bodyAs(record, "plan.made");
      const of = body?.data.order;
      if (body && typeof of === "string" && of.startsWith(order)) found.push({ plan: body.plan, order: of });
    }
  }
  return new Set(found.map((one) => one.order)).size === 1 ? found.map(({ plan }) => plan) : [];
}

export const planOfRemoval = ({ plan, removal }: Removal): string => plan ?? removal;

/** All of the newest order that still stand, newest first; typed: those of the order, or the one of that id. */
async function removalsMeant(
  store: Store,
  from: GitWorkspace,
  typed: string | null,
): Promise<readonly Removal[]> {
  const standing = await standingRemovals(store, from);
  if (typed !== null) {
    const ordered = byBeginning(standing, typed, planOfRemoval);
    return ordered.length > 0 ? ordered : byBeginning(standing, typed, ({ removal }) => removal).slice(0, 1);
  }
  const [newest] = standing;
  if (!newest) return [];
  const later: Plan[] = [];
  for await (const plan of plansOf(store, from)) {
    if (plan.seq < newest.seq) break;
    later.push(plan);
  }
  // What was done since and taken back again is not in its way.
  if (historyOf(later).standing.length > 0) return [];
  return standing.filter((one) => planOfRemoval(one) === planOfRemoval(newest));
}

/** The whole id of the plan somebody means. */
function planNamed(typed: string, plans: readonly Plan[]): string {
  const [one, ...others] = byBeginning(plans, typed, ({ id }) => id);
  if (!one) throw new RefloatError("E_NO_PLAN", { what: typed });
  if (others.length > 0)
    throw new RefloatError("E_AMBIGUOUS", {
      what: typed,
      matches: [one, ...others].map(({ id }) => id).join(", "),
    });
  return one.id;
}

export type EndedRecreation =
  | { readonly kind: "planned" | "declined" }
  | {
      readonly kind: "done";
      readonly trees: readonly (RecreatedWorktree & { readonly path: string })[];
    };

/** All work trees of one removal are brought back (recreate-worktree.ts). */
export async function undoRemoval(
  at: AppPlace,
  { from, removals }: UndoMeant & { readonly kind: "removal" },
  { isDryRun, ask }: { readonly isDryRun: boolean; readonly ask: Ask<readonly Removal[]> },
): Promise<EndedRecreation> {
  if (isDryRun) return { kind: "planned" };
  if ((await ask(removals)) === "no") return { kind: "declined" };
  const store = await at.openStore();
  const trees = [];
  for (const removal of removals)
    trees.push({ path: removal.path, ...(await recreateWorktree(store.raw, from, removal, at.env)) });
  return { kind: "done", trees };
}
