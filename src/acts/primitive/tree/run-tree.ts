/** The tree's part of a plan: unit after unit, and back again where a unit cannot go on. */
import type { PathName } from "../../../model/path-name.ts";
import type { PresentState } from "../../../model/path-state.ts";
import { newFolderMode } from "../../../platform/tree-names.ts";
import type { Conflict } from "../../plans/outcome.ts";
import { keptRecord } from "../../plans/records.ts";
import { type Execution, unitsOfPlan } from "./execution.ts";
import { readWhole } from "./read-whole.ts";
import { putUnitBack, runUnit, type TreeWork } from "./run-unit.ts";
import type { Keep } from "./tidy-slots.ts";
import { openTree, type Tree } from "./tree.ts";
import type { Unit } from "./units.ts";

/** Adds the groups that could not be done to `back`. */
export function runTree(execution: Execution, back: Set<string>): Promise<Conflict[]> {
  return inTree(execution, async (work) => {
    const conflicts: Conflict[] = [];
    for (const unit of unitsOfPlan(execution.plan)) {
      if (unit.groups.some((group) => back.has(group))) continue;
      const found = await runUnit(work, unit);
      if (found.length === 0) continue;
      conflicts.push(...found);
      for (const group of unit.groups) back.add(group);
    }
    return conflicts;
  });
}

/** Of units that were done: what is still as the plan put it becomes what it was. */
export function putTreeBack(
  execution: Execution,
  units: readonly Unit[],
  back: ReadonlySet<string>,
): Promise<Conflict[]> {
  return inTree(execution, async (work) => {
    const conflicts: Conflict[] = [];
    for (const unit of units)
      if (!unit.groups.some((group) => back.has(group))) conflicts.push(...(await putUnitBack(work, unit)));
    return conflicts;
  });
}

async function inTree<T>(execution: Execution, use: (work: TreeWork) => Promise<T>): Promise<T> {
  const tree = openTree(execution.workspace.root, execution.plan.token);
  try {
    return await use(workOf(execution, tree));
  } finally {
    tree.close();
  }
}

function workOf(execution: Execution, tree: Tree): TreeWork {
  const { store, claim, plan, isLate, onProgress } = execution;
  const modes = new Map([...plan.empties, ...plan.makes].map(({ path, mode }) => [path, mode]));
  const made = new Set(plan.makes.map(({ path }) => path));
  const empties = new Set(plan.empties.map(({ path }) => path));
  let done = 0;
  return {
    tree,
    read: (hash) => store.readContent(hash),
    keep: keeping(execution),
    recheck: () => claim.recheck(),
    onPath: () => onProgress?.(++done, plan.puts.length),
    isLate,
    modeOf: (folder: PathName) => modes.get(folder) ?? newFolderMode(),
    isMade: (folder) => made.has(folder),
    mayPrune: (folder) => empties.has(folder),
  };
}

/** Bytes first, then the record that names them: only then the caller drops the slot. */
function keeping({ store, claim, plan }: Execution): Keep {
  return async ({ path }, at, seen) => {
    if (seen.kind === "unreadable" || seen.state === null) return false;
    await store.putContent(readWhole(at, seen.state));
    const record = keptRecord(store.clock, plan.id, path, seen.state as PresentState);
    await store.append(claim.session, { attempt: claim.attempt }, [record]);
    return true;
  };
}
