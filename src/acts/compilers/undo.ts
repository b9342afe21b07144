/**
 * Taking a plan back: what still stands of it. Pure. Last in, first out per path: a plan whose paths a later one touched is
 * refused and the later one named. What the user edited since is a conflict of its group, because each path must still be as the
 * plan left it; that group stands until an undo finds it so again. Groups the plan left alone stay alone.
 */
import type { PlanDraft } from "../plans/draft.ts";
import { type History, laterOnSame } from "../plans/history.ts";
import { groupsOf, narrowed, partsOf } from "../plans/parts.ts";
import type { Plan } from "../plans/plans.ts";
import { inverseOf } from "./inverse.ts";

/** `plan`: what is taken back, no more of it than stands. */
export interface TakenDraft {
  readonly kind: "draft";
  readonly draft: PlanDraft;
  readonly plan: Plan;
}

export type TakenBack =
  | TakenDraft
  /** Nothing to take back, or this one was taken back already. */
  | { readonly kind: "nothing"; readonly why: string }
  | { readonly kind: "blocked"; readonly plan: Plan; readonly by: Plan };

/** `wanted`: a plan's id, whole; null: the newest that stands. */
export function compileUndo({ standing }: History, wanted: string | null): TakenBack {
  const plan = wanted === null ? standing[0] : standing.find((one) => isMeant(one, wanted));
  if (!plan) return { kind: "nothing", why: wanted === null ? "nothing was done here" : "it does not stand" };
  const by = laterOnSame(plan, standing);
  if (by) return { kind: "blocked", plan, by };
  return takenBack(plan, { act: "undo", undoes: plan.id });
}

/** Whoever names a plan that was undone and done again means the one that stands for it now. */
const isMeant = ({ id, redoes }: Plan, wanted: string): boolean => id === wanted || redoes === wanted;

/** Everything the plan did, the other way round, on the same behalf. */
export const takenBack = (plan: Plan, as: Pick<PlanDraft, "act" | "undoes" | "redoes">): TakenDraft => ({
  kind: "draft",
  plan,
  draft: {
    ...as,
    ...inverseOf(plan),
    session: plan.session,
    data: plan.data,
    // What is as it was already counts as taken back, or undo would never come to what is older.
    covers: [...groupsOf(plan)],
    isNoted: true,
  },
});

/** Without these parts, which stay as they are; null: then there is nothing left of it. */
export function leavingOut({ plan, draft }: TakenDraft, parts: ReadonlySet<string>): TakenDraft | null {
  const rest = narrowed(plan, new Set([...partsOf(plan)].filter((part) => !parts.has(part))));
  const { act, undoes, redoes } = draft;
  const as = {
    act,
    ...(undoes === undefined ? {} : { undoes }),
    ...(redoes === undefined ? {} : { redoes }),
  };
  return rest && takenBack(rest, as);
}
