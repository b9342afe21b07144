/**
 * What stands of the workspace's plans, and what of them was taken back: what undo and redo go along. Pure. It is told by
 * parts (below): a group that was in conflict when its plan was undone still stands, and so it is parked still, and the
 * next undo takes it back (DESIGN 15). A part of a plan is undone once at most (its redo is a plan of its own, and is undone in
 * its turn), so two sets told from the newest plan backwards are enough.
 */
import { isJsonObject } from "../../model/json.ts";
import type { PathName } from "../../model/path-name.ts";
import type { Plan } from "./plans.ts";

/**
 * The parts of a plan that are taken back, done again or in conflict each for itself (S4, DESIGN 15). A group is one; the
 * groups a commit was made of are one with its ref, because a commit is taken back whole or not at all (W2). A plan that only noted
 * something is one, too.
 */
export const REF_PART = "refs";
const NOTE_PART = "note";

/** What it changed, or found as it should be and counts all the same: without groups that were left alone. */
export function groupsOf({ puts, index, covers, back }: Plan): ReadonlySet<string> {
  const named = [...puts, ...index].map(({ group }) => group);
  return new Set([...named, ...covers].filter((group) => !back.has(group)));
}

/** In the tree or in the index, each once. */
export function changedPaths({ puts, index, back }: Plan): PathName[] {
  const changed = [...puts, ...index].filter(({ group }) => !back.has(group));
  return [...new Set(changed.map(({ path }) => path))];
}

export function partOf(plan: Plan, group: string): string {
  return isBound(plan, group) ? REF_PART : `group ${group}`;
}

/** Only the plan of a commit tells which groups its ref is moved for: of any other with refs everything goes together. */
function isBound({ refs, data }: Plan, group: string): boolean {
  const { acts, commit } = data;
  const isOfCommit = refs.length === 1 && typeof commit === "string" && isJsonObject(acts);
  if (!isOfCommit) return refs.length > 0;
  return acts[group] === undefined || acts[group] === "commit";
}

export function partsOf(plan: Plan): ReadonlySet<string> {
  const parts = new Set([...groupsOf(plan)].map((group) => partOf(plan, group)));
  if (plan.refs.length > 0) parts.add(REF_PART);
  return parts.size > 0 ? parts : new Set([NOTE_PART]);
}

/** The plan as if it had done no more than these parts; null: none of them is its own. */
export function narrowed(plan: Plan, parts: ReadonlySet<string>): Plan | null {
  const own = partsOf(plan);
  const kept = new Set([...own].filter((part) => parts.has(part)));
  if (kept.size === 0) return null;
  if (kept.size === own.size) return plan;
  const isKept = ({ group }: { readonly group: string }): boolean => kept.has(partOf(plan, group));
  const hasRefs = kept.has(REF_PART);
  return {
    ...plan,
    puts: plan.puts.filter(isKept),
    index: plan.index.filter(isKept),
    covers: plan.covers.filter((group) => isKept({ group })),
    refs: hasRefs ? plan.refs : [],
    // The branch matters to what was committed on it.
    head: hasRefs || plan.refs.length === 0 ? plan.head : undefined,
  };
}

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
