/**
 * Which plans stand, and which were taken back: what undo and redo go along. Pure. A plan is undone once at most (its
 * redo is a plan of its own, and is undone in its turn), so two sets told from the newest plan backwards are enough.
 */
import type { PathName } from "../model/path-name.ts";
import type { Plan } from "./plans.ts";

export interface History {
  /** Plans that stand, newest first. */
  readonly standing: readonly Plan[];
  /** Undos whose plan nobody did again, newest first. */
  readonly undone: readonly Plan[];
}

/** `newestFirst`: every plan of the workspace. Open ones, rolled-back ones and another tree's are nobody's history. */
export function historyOf(newestFirst: Iterable<Plan>): History {
  const takenBack = new Set<string>();
  const doneAgain = new Set<string>();
  const standing: Plan[] = [];
  const undone: Plan[] = [];
  for (const plan of newestFirst) {
    if (plan.state !== "done" || plan.isOfOtherTree) continue;
    if (plan.undoes !== null) {
      takenBack.add(plan.undoes);
      if (!doneAgain.has(plan.undoes)) undone.push(plan);
      continue;
    }
    if (plan.redoes !== null) doneAgain.add(plan.redoes);
    if (!takenBack.has(plan.id)) standing.push(plan);
  }
  return { standing, undone };
}

/** The newest of `others`, later than the plan, that touched one of its paths, index entries or refs. */
export function laterOnSame(plan: Plan, others: readonly Plan[]): Plan | null {
  const mine = touchedBy(plan);
  const isSame = (other: Plan): boolean => [...touchedBy(other)].some((what) => mine.has(what));
  return others.find((other) => other.seq > plan.seq && isSame(other)) ?? null;
}

/** What is in a group that was left alone was not touched. */
function touchedBy(plan: Plan): ReadonlySet<string> {
  const isDone = ({ group }: { readonly group: string }): boolean => !plan.back.has(group);
  const paths: PathName[] = [...plan.puts, ...plan.index].filter(isDone).map(({ path }) => path);
  return new Set([...paths.map((path) => `path ${path}`), ...plan.refs.map(({ ref }) => `ref ${ref}`)]);
}
