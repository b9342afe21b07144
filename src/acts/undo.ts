/**
 * Taking a plan back. Pure. Last in, first out per path: a plan whose paths a later one touched is
 * refused and the later one named. What the user edited since is a conflict, because each path must still be as the
 * plan left it. Groups the plan left alone stay alone.
 */
import type { PlanDraft } from "./draft.ts";
import { type History, laterOnSame } from "./history.ts";
import { inverseOf } from "./inverse.ts";
import type { Plan } from "./plans.ts";

export type TakenBack =
  | { readonly kind: "draft"; readonly draft: PlanDraft; readonly plan: Plan }
  /** Nothing to take back, or this one was taken back already. */
  | { readonly kind: "nothing"; readonly why: string }
  | { readonly kind: "blocked"; readonly plan: Plan; readonly by: Plan };

/** `wanted`: a plan's id, whole; null: the newest that stands. */
export function compileUndo({ standing }: History, wanted: string | null): TakenBack {
  const plan = wanted === null ? standing[0] : standing.find((one) => isMeant(one, wanted));
  if (!plan) return { kind: "nothing", why: wanted === null ? "nothing was done here" : "it does not stand" };
  const by = laterOnSame(plan, standing);
  if (by) return { kind: "blocked", plan, by };
  return { kind: "draft", plan, draft: { ...takenBack(plan), act: "undo", undoes: plan.id } };
}

/** Whoever names a plan that was undone and done again means the one that stands for it now. */
const isMeant = ({ id, redoes }: Plan, wanted: string): boolean => id === wanted || redoes === wanted;

/** Everything the plan did, the other way round, on the same behalf. */
export const takenBack = (plan: Plan): Omit<PlanDraft, "act"> => ({
  ...inverseOf(plan),
  session: plan.session,
  data: plan.data,
  // One that only noted something is taken back by noting that.
  ...(plan.puts.length + plan.index.length + plan.refs.length === 0 ? { isNoted: true } : {}),
});
