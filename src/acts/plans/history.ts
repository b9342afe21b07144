/**
 * What stands of the workspace's plans, and what of them was taken back: what undo and redo go along. Pure. It is told by
 * parts (plan-parts.ts): a group that was in conflict when its plan was undone still stands, and so it is parked still, and the
 * next undo takes it back (DESIGN 15). A part of a plan is undone once at most (its redo is a plan of its own, and is undone in
 * its turn), so two sets told from the newest plan backwards are enough.
 */
import { changedPaths, narrowed, partsOf } from "./parts.ts";
import type { Plan } from "./plans.ts";

export interface History {
  /** Newest first; of each plan only what stands of it. */
  readonly standing: readonly Plan[];
  /** Undos, newest first; of each only what nobody did again. */
  readonly undone: readonly Plan[];
  /** Whether everything of this redo had been taken back later than the undo: the two of them changed nothing since. */
  isReopened(redo: Plan, since: Plan): boolean;
}

const keyOf = (plan: string, part: string): string => `${plan} ${part}`;

/** `newestFirst`: every plan of the workspace. Open ones, rolled-back ones and another tree's are nobody's history. */
export function historyOf(newestFirst: Iterable<Plan>): History {
  const takenBackAt = new Map<string, number>();
  const doneAgain = new Set<string>();
  const standing: Plan[] = [];
  const undone: Plan[] = [];
  for (const plan of newestFirst) {
    if (plan.state !== "done" || plan.isOfOtherTree) continue;
    const parts = [...partsOf(plan)];
    const { undoes, redoes } = plan;
    if (undoes !== null) {
      for (const part of parts) takenBackAt.set(keyOf(undoes, part), plan.seq);
      // A work tree that was brought back is removed again by an order of its own, not by taking its files away.
      if (plan.act !== "recreate") add(undone, plan, (part) => !doneAgain.has(keyOf(undoes, part)));
      continue;
    }
    if (redoes !== null) for (const part of parts) doneAgain.add(keyOf(redoes, part));
    add(standing, plan, (part) => !takenBackAt.has(keyOf(plan.id, part)));
  }
  const isReopened = (redo: Plan, { seq }: Plan): boolean =>
    [...partsOf(redo)].every((part) => (takenBackAt.get(keyOf(redo.redoes ?? "", part)) ?? 0) > seq);
  return { standing, undone, isReopened };
}

function add(list: Plan[], plan: Plan, isLeft: (part: string) => boolean): void {
  const left = narrowed(plan, new Set([...partsOf(plan)].filter(isLeft)));
  if (left) list.push(left);
}

/** The newest of `others`, later than the plan, that touched one of its paths, index entries or refs. */
export function laterOnSame(plan: Plan, others: readonly Plan[]): Plan | null {
  const mine = touchedBy(plan);
  const isSame = (other: Plan): boolean => [...touchedBy(other)].some((what) => mine.has(what));
  return others.find((other) => other.seq > plan.seq && isSame(other)) ?? null;
}

/** What is in a group that was left alone was not touched. */
function touchedBy(plan: Plan): ReadonlySet<string> {
  const paths = changedPaths(plan).map((path) => `path ${path}`);
  return new Set([...paths, ...plan.refs.map(({ ref }) => `ref ${ref}`)]);
}
