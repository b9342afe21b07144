/** What of a draft can be done, given what was seen: whole groups, or none of a group (DESIGN 15). Pure. */
import type { PathName } from "../../model/path-name.ts";
import { isSameState, type PathState } from "../../model/path-state.ts";
import type { StagedEntry } from "../../workspace/git/index-file.ts";
import type { IndexEdit, PlanDraft } from "../plans/draft.ts";
import { isSameStaged } from "../plans/draft.ts";
import type { Conflict, PlannedPaths } from "../plans/outcome.ts";
import type { PlanPut } from "../plans/plans.ts";
import type { GatheredDraft } from "./gather-draft.ts";
import { unitsOf } from "./tree/units.ts";

export interface DraftDecision extends PlannedPaths {
  readonly puts: readonly PlanPut[];
  readonly index: readonly IndexEdit[];
}

/** What the index has at a path now. */
export type StagedAt = (path: PathName) => readonly StagedEntry[];

export function decideDraft(
  draft: PlanDraft,
  { puts, seen, barred }: Pick<GatheredDraft, "puts" | "seen" | "barred">,
  stagedAt: StagedAt,
): DraftDecision {
  const conflicts: Conflict[] = [];
  const already: PathName[] = [];
  const active: PlanPut[] = [];
  for (const put of puts) {
    const found = seen.get(put.path) ?? null;
    const why = barred.get(put.path) ?? whyNever(put);
    if (why !== null || !isEither(found, put))
      conflicts.push({ path: put.path, group: put.group, expected: put.expect, found, why });
    else if (isSameState(found, put.put)) already.push(put.path);
    else active.push(put);
  }
  const index = (draft.index ?? []).filter((edit) => {
    const found = stagedAt(edit.path);
    const isDone = isSameStaged(found, edit.put);
    if (!isDone && !isSameStaged(found, edit.expect)) conflicts.push(indexConflict(edit));
    return !isDone;
  });
  const groups = [...new Set([...puts, ...(draft.index ?? [])].map(({ group }) => group))];
  const hit = new Set(conflicts.map(({ group }) => group));
  const isOne = (draft.refs ?? []).length > 0;
  const untouched = new Set(
    unitsOf(puts, { isOne, others: groups })
      .filter((unit) => unit.groups.some((group) => hit.has(group)))
      .flatMap((unit) => unit.groups),
  );
  const chosen = active.filter(({ group }) => !untouched.has(group));
  return {
    puts: chosen,
    index: index.filter(({ group }) => !untouched.has(group)),
    paths: chosen.map(({ path, group }) => ({ path, group })),
    already,
    conflicts,
    untouched: [...untouched],
  };
}

function isEither(found: PathState, { expect, put }: PlanPut): boolean {
  return isSameState(found, expect) || isSameState(found, put);
}

/** What lies in a submodule is its own repository's, and its commit is not ours to move. */
function whyNever({ expect, put }: PlanPut): string | null {
  return [expect, put].some((state) => state?.kind === "submodule") ? "it is a submodule" : null;
}

export const indexConflict = ({ path, group }: IndexEdit): Conflict => ({
  path,
  group,
  expected: null,
  found: null,
  why: "the index has something else staged there",
});
