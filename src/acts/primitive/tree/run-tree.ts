/** The tree's part of a plan on its way: unit after unit, and back again where a unit cannot go on. */
import { closeSync, constants, openSync, readlinkSync, readSync } from "node:fs";
import { CHUNK_BYTES } from "../../../model/limits.ts";
import type { PathName } from "../../../model/path-name.ts";
import type { PresentState } from "../../../model/path-state.ts";
import { newFolderMode } from "../../../platform/tree-names.ts";
import type { Store } from "../../../store/store.ts";
import type { Workspace } from "../../../workspace/opening/workspace.ts";
import type { ActsClaim } from "../../plans/acts-session.ts";
import type { Conflict } from "../../plans/outcome.ts";
import type { Plan } from "../../plans/plans.ts";
import { keptRecord } from "../../plans/records.ts";
import { putUnitBack, runUnit, type TreeWork } from "./run-unit.ts";
import type { Keep } from "./tidy-slots.ts";
import { openTree, type Tree } from "./tree.ts";
import { type Unit, unitsOf } from "./units.ts";

/** A plan on its way: what every step of it needs. */
export interface Execution {
  readonly store: Store;
  readonly workspace: Workspace;
  readonly claim: ActsClaim;
  readonly plan: Plan;
  /** True: an earlier executor may have begun. */
  readonly isLate: boolean;
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

/** The same for every executor of a plan: its slots are named by it. */
export function unitsOfPlan({ puts, index, refs }: Plan): Unit[] {
  return unitsOf(puts, { isOne: refs.length > 0, others: index.map(({ group }) => group) });
}

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

/** The bytes at a name that nobody else writes to any more, piece by piece; of a link its target. */
async function* readWhole(at: Buffer, { kind }: PresentState): AsyncGenerator<Uint8Array> {
  if (kind === "symlink") {
    yield readlinkSync(at, { encoding: "buffer" }) as unknown as Buffer;
    return;
  }
  const fd = openSync(at, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    for (;;) {
      const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
      const read = readSync(fd, buffer, 0, CHUNK_BYTES, null);
      if (read === 0) return;
      yield buffer.subarray(0, read);
    }
  } finally {
    closeSync(fd);
  }
}
