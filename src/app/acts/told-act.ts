/** A plan and what came of it, as every face's data has it (S7, DESIGN 10): facts only; a face words them. */
import { groupOf, type LeftAlone } from "../../acts/compilers/put-back.ts";
import type { ActOutcome, Conflict, PlannedPaths } from "../../acts/plans/outcome.ts";
import { type PathJson, type PathName, type PathsJson, pathJson, pathsJson } from "../../model/path-name.ts";
import type { PathState } from "../../model/path-state.ts";
import type { SettleAct } from "../../salvage/settle/policy.ts";
import { pathsOf as changedPaths } from "../../workspace/compare/states.ts";
import type { CompiledAct } from "./compiled-act.ts";
import { planOfRemoval, type UndoMeant } from "./undo.ts";

/** What is done with each group, or with each path. */
export interface ToldPlan {
  /** Null: nothing was done by it. */
  readonly id: string | null;
  /** Null: of an implied session. */
  readonly session: string | null;
  readonly acts: readonly ToldGroupAct[];
}

export interface ToldGroupAct extends PathsJson {
  readonly group: string;
  readonly act: SettleAct | "restore";
  /** Why it is left, where a rule says so. */
  readonly why?: string;
}

/** W5: what is not as the plan expects, and so is left as it is. */
export interface ToldConflict extends PathJson {
  readonly group: string;
  readonly expected: PathState;
  /** Null with a `why`: what is there could not be read. */
  readonly found: PathState;
  /** Where the states alone do not say it. */
  readonly why: string | null;
}

/** What an undo or a redo does to commits. */
export interface ToldCommits {
  /** The commit that a commit of its own reverses (W2); null: none. */
  readonly reverses: string | null;
  /** The commit that is taken off its branch; null: none. */
  readonly uncommitted: (PathsJson & { readonly commit: string; readonly ref: string }) | null;
}

export interface ToldLeft {
  /** What is left alone, and why. */
  readonly left: readonly (PathJson & { readonly why: string })[];
  /** What is as it should be already. */
  readonly already: readonly PathJson[];
}

export interface ShownAct {
  readonly compiled: CompiledAct;
  readonly outcome: ActOutcome;
}

const NONE: PlannedPaths = { paths: [], already: [], conflicts: [], untouched: [] };
export const pathsOf = (outcome: ActOutcome): PlannedPaths => (outcome.kind === "refused" ? NONE : outcome);

/** What was found, and what was left out of the draft because of it. */
export const conflictsOf = ({ compiled, outcome }: ShownAct): readonly Conflict[] => [
  ...(compiled.stuck ?? []),
  ...pathsOf(outcome).conflicts,
];

export interface SplitGroup {
  readonly id: string;
  readonly goes: readonly PathName[];
  readonly stays: readonly PathName[];
}

/** The groups that lose some of their files to it, and keep others: everything else is settled in whole groups (S4). */
export function splitsOf({ compiled: { groups = [] }, outcome }: ShownAct): SplitGroup[] {
  const going = new Set(pathsOf(outcome).paths.map(({ path }) => path));
  return groups.flatMap(({ id, changes }) => {
    const paths = [...new Set(changes.flatMap(({ change }) => changedPaths(change)))].sort();
    const goes = paths.filter((path) => going.has(path));
    const stays = paths.filter((path) => !going.has(path));
    return goes.length === 0 || stays.length === 0 ? [] : [{ id, goes, stays }];
  });
}

export function toldPlan({ compiled, outcome }: ShownAct): ToldPlan {
  const { draft, word, leftAlone } = compiled;
  const groups = new Map<string, PathName[]>();
  for (const { path, group } of pathsOf(outcome).paths)
    groups.set(group, [...(groups.get(group) ?? []), path]);
  return {
    id: outcome.kind === "done" ? outcome.plan : null,
    session: draft.session,
    acts: [
      ...[...groups].map(([group, paths]) => ({ group, act: word, ...pathsJson(paths) })),
      ...committedActs(compiled, outcome),
      ...leftAlone.map(({ path }) => ({ group: groupOf(path), act: "leave" as const, ...pathsJson([path]) })),
    ],
  };
}

/** What only the commit that goes or comes back tells of: no file changes for it, and still it was done (T1). */
function committedActs({ draft, taken }: CompiledAct, outcome: ActOutcome): ToldGroupAct[] {
  const { paths, conflicts } = pathsOf(outcome);
  if (conflicts.length > 0) return [];
  const told = new Set(paths.map(({ path }) => path));
  const indexed = new Map((draft.index ?? []).map(({ path, group }) => [path, group]));
  const groups = new Map<string, PathName[]>();
  for (const path of (taken?.paths ?? []).filter((one) => !told.has(one))) {
    const group = indexed.get(path) ?? groupOf(path);
    groups.set(group, [...(groups.get(group) ?? []), path]);
  }
  const act = draft.act === "redo" ? "commit" : "restore";
  return [...groups].map(([group, all]) => ({ group, act, ...pathsJson(all) }));
}

/** Of an undo or a redo; nothing of any other act. */
export function toldCommits({ draft, taken, reversal }: CompiledAct): Partial<ToldCommits> {
  if (draft.act !== "undo" && draft.act !== "redo") return {};
  const uncommitted =
    !taken || taken.kind === "again"
      ? null
      : { commit: taken.commit, ref: taken.ref, ...pathsJson(taken.paths) };
  return { reverses: reversal?.reverses ?? null, uncommitted };
}

export const toldConflicts = (shown: ShownAct): ToldConflict[] => [
  ...conflictsOf(shown).map(conflictJson),
  ...shown.compiled.leftAlone.filter(({ isConflict }) => isConflict).map(namedJson),
];

export const toldLeft = ({ compiled, outcome }: ShownAct): ToldLeft => ({
  left: compiled.leftAlone.map(({ path, why }) => ({ ...pathJson(path), why })),
  already: pathsOf(outcome).already.map(pathJson),
});

export const conflictJson = ({ path, group, expected, found, why }: Conflict): ToldConflict => ({
  ...pathJson(path),
  expected,
  found,
  group,
  why,
});

const namedJson = ({ path, why }: LeftAlone): ToldConflict => ({
  ...pathJson(path),
  expected: null,
  found: null,
  group: groupOf(path),
  why,
});

/** Work trees that are brought back, each by the path it had. */
export const toldRemoval = (
  { removals }: Extract<UndoMeant, { kind: "removal" }>,
  isDone: boolean,
): ToldPlan => ({
  id: isDone && removals[0] ? planOfRemoval(removals[0]) : null,
  session: null,
  acts: removals.map(({ removal, path }) => ({ group: removal, act: "restore", paths: [path] })),
});
