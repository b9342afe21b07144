/**
 * Carries a plan out, from wherever an earlier executor left it (S5): tree, then index, then refs. Each step is
 * idempotent; a step that the journal has heard of is not looked at again, because what differs since then was
 * changed by somebody else. What is on disk after each part, and what a kill there means: docs/acts.md.
 */
import type { PathName } from "../model/path-name.ts";
import type { PresentState } from "../model/path-state.ts";
import { crashPoint } from "../platform/crash-point.ts";
import { newFolderMode } from "../platform/tree-names.ts";
import type { Store } from "../store/store.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { ActsClaim } from "./acts-session.ts";
import type { Conflict } from "./outcome.ts";
import { advancedRecord, keptRecord, settledRecord } from "./plan-records.ts";
import type { Plan } from "./plans.ts";
import { readWhole } from "./read-whole.ts";
import { runUnit, type TreeWork } from "./run-unit.ts";
import type { Keep } from "./tidy-slots.ts";
import { openTree, type Tree } from "./tree.ts";
import { unitsOf } from "./units.ts";

export interface Execution {
  readonly store: Store;
  readonly workspace: Workspace;
  readonly claim: ActsClaim;
  readonly plan: Plan;
  /** True: an earlier executor may have begun. */
  readonly isLate: boolean;
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

export interface Executed {
  readonly outcome: "done" | "rolled-back";
  /** Groups of which nothing is changed. */
  readonly back: ReadonlySet<string>;
  /** Found while it ran. */
  readonly conflicts: readonly Conflict[];
}

export async function executePlan(execution: Execution): Promise<Executed> {
  const { store, claim, plan, isLate } = execution;
  const back = new Set(plan.back);
  const conflicts: Conflict[] = [];
  const append = (record: Parameters<Store["append"]>[2][number]): Promise<unknown> =>
    store.append(claim.session, { attempt: claim.attempt }, [record]);
  if (!plan.steps.has("tree")) {
    conflicts.push(...(await runTree(execution, back)));
    crashPoint("act.tree-done");
    if (plan.index.length > 0 || plan.refs.length > 0) {
      await append(advancedRecord(store.clock, plan.id, "tree", back, conflicts));
      crashPoint("act.after-tree");
    }
  }
  const groups = new Set([...plan.puts, ...plan.index].map(({ group }) => group));
  const isBack = groups.size > 0 && [...groups].every((group) => back.has(group));
  const outcome = isBack ? "rolled-back" : "done";
  crashPoint("act.before-settled");
  await append(settledRecord(store.clock, plan.id, { outcome, late: isLate, back, conflicts }));
  crashPoint("act.after-settled");
  return { outcome, back, conflicts };
}

/** Adds the groups that could not be done to `back`. */
async function runTree(execution: Execution, back: Set<string>): Promise<Conflict[]> {
  const { workspace, plan } = execution;
  const others = plan.index.map(({ group }) => group);
  const units = unitsOf(plan.puts, { isOne: plan.refs.length > 0, others });
  const tree = openTree(workspace.root, plan.token);
  const work = workOf(execution, tree);
  const conflicts: Conflict[] = [];
  try {
    for (const unit of units) {
      if (unit.groups.some((group) => back.has(group))) continue;
      const found = await runUnit(work, unit);
      if (found.length === 0) continue;
      conflicts.push(...found);
      for (const group of unit.groups) back.add(group);
    }
  } finally {
    tree.close();
  }
  return conflicts;
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
