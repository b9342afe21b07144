/**
 * Taking a plan back, doing it again, bringing back what was parked: what still stands of a plan, the other way round. Pure. Last in,
 * first out per path: a plan whose paths a later one touched is refused and the later one named. What the user edited since is a
 * conflict of its group, because each path must still be as the plan left it; that group stands until an undo finds it so again.
 * Groups the plan left alone stay alone.
 */
import type { PathName } from "../../model/path-name.ts";
import type { PlanDraft } from "../plans/draft.ts";
import { groupsOf, type History, laterOnSame, narrowed, partsOf } from "../plans/history.ts";
import type { ParkedChanges } from "../plans/parked.ts";
import type { Plan } from "../plans/plans.ts";

type Inverse = Pick<PlanDraft, "puts" | "index" | "refs" | "objects" | "folders" | "prune"> &
  Pick<Partial<PlanDraft>, "head">;

/** What takes a plan back: of every group that it changed, each path, index entry and ref the other way round. */
export function inverseOf(plan: Plan): Inverse {
  const isChanged = ({ group }: { readonly group: string }): boolean => !plan.back.has(group);
  return {
    puts: plan.puts.filter(isChanged).map(reversed),
    index: plan.index.filter(isChanged).map(reversed),
    refs: plan.refs.map(({ ref, expect, put }) => ({ ref, expect: put, put: expect })),
    objects: plan.objects,
    ...(plan.head === undefined ? {} : { head: plan.head }),
    // Folders that went come back as they were; of those it made, the empty ones go, and no others.
    folders: plan.empties,
    prune: plan.makes.map(({ path }) => path),
  };
}

/** Nothing else of it: what a plan's row holds besides is that plan's. */
const reversed = <State>({ path, group, expect, put }: Reversible<State>): Reversible<State> => ({
  path,
  group,
  expect: put,
  put: expect,
});

interface Reversible<State> {
  readonly path: PathName;
  readonly group: string;
  readonly expect: State;
  readonly put: State;
}

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
export function compileUndo({ standing, undone }: History, wanted: string | null): TakenBack {
  const plan = wanted === null ? standing[0] : standing.find((one) => isMeant(one, wanted));
  if (!plan && wanted !== null) return { kind: "nothing", why: "it does not stand" };
  if (!plan) return { kind: "nothing", why: undone.length > 0 ? ALL_UNDONE : "nothing was done here" };
  const by = laterOnSame(plan, standing);
  if (by) return { kind: "blocked", plan, by };
  return takenBack(plan, { act: "undo", undoes: plan.id });
}

const ALL_UNDONE = "everything that was done here is undone already";

/** Whoever names a plan that was undone and done again means the one that stands for it now. */
const isMeant = ({ id, redoes }: Plan, wanted: string): boolean => id === wanted || redoes === wanted;

/** Everything the plan did, the other way round, on the same behalf. */
const takenBack = (plan: Plan, as: Pick<PlanDraft, "act" | "undoes" | "redoes">): TakenDraft => ({
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

/** Doing again what was undone: the newest undo is taken back, so that what it took away is there again. Pure. */
export function compileRedo({ standing, undone, isReopened }: History): TakenBack {
  const [undo] = undone;
  if (!undo?.undoes) return { kind: "nothing", why: "nothing was undone" };
  // Undone after it and done again since: there it is as it was when this undo ended.
  const since = standing.filter((one) => one.redoes === null || !isReopened(one, undo));
  const by = laterOnSame(undo, since);
  if (by) return { kind: "blocked", plan: undo, by };
  return takenBack(undo, { act: "redo", redoes: undo.undoes });
}

/** A parked group back into the tree: everything of it the other way round; what park put there must still be there. */
export function compileUnpark(
  { name, plan, session, puts, index }: ParkedChanges,
  parkedBy: Plan,
): PlanDraft {
  return {
    act: "unpark",
    session: session as PlanDraft["session"],
    puts: puts.map(reversed),
    index: index.map(reversed),
    folders: parkedBy.empties,
    prune: [],
    objects: parkedBy.objects,
    // Where its content is there already it is still taken out: nobody is to be told to bring it back again.
    isNoted: true,
    data: { unparks: { plan: parkedBy.redoes ?? plan, name } },
  };
}
