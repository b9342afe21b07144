/**
 * Carries a plan out, from wherever an earlier executor left it (S5): tree, then index, then refs. Each step is
 * idempotent; a step that the journal has heard of is not looked at again, because what differs since then was
 * changed by somebody else. What is on disk after each part, and what a kill there means: docs/acts.md.
 *
 * A unit that cannot go on in the index or in the refs goes back in the tree and in the index: never a half.
 */
import { ensureError, RefloatError } from "../../model/errors.ts";
import type { PlanStep } from "../../model/plan.ts";
import { crashPoint } from "../../platform/crash-point.ts";
import { errnoOf } from "../../platform/io-error.ts";
import { headFromFiles } from "../../workspace/git/head.ts";
import { indexEntries } from "../../workspace/git/index-file.ts";
import type { Location } from "../../workspace/git/locate.ts";
import { objectsAt } from "../../workspace/git/objects.ts";
import type { Repository } from "../../workspace/git/repository.ts";
import { editIndex, type IndexWork, lockedIndex } from "../git/edit-index.ts";
import { bringObjects } from "../git/held-objects.ts";
import { readRef, swapRefs } from "../git/swap-refs.ts";
import type { IndexEdit } from "../plans/draft.ts";
import { isSameStaged } from "../plans/draft.ts";
import type { Conflict } from "../plans/outcome.ts";
import { advancedRecord, planEndRecord } from "../plans/records.ts";
import { indexConflict } from "./decide-draft.ts";
import { type Execution, putTreeBack, runTree, unitsOfPlan } from "./tree/run-tree.ts";

export interface ExecutedPlan {
  readonly outcome: "done" | "rolled-back";
  /** Groups of which nothing is changed. */
  readonly back: ReadonlySet<string>;
  /** Found while it ran. */
  readonly conflicts: readonly Conflict[];
  /** Why everything went back, where it was not a path: a lock that stayed, a ref that moved. */
  readonly refusal: RefloatError | null;
}

/** What has come of it so far. */
interface Course {
  readonly back: Set<string>;
  readonly conflicts: Conflict[];
  refusal: RefloatError | null;
}

export async function executePlan(execution: Execution): Promise<ExecutedPlan> {
  try {
    return await carryOn(execution);
  } catch (thrown) {
    // A full disk, a file system that turned read-only: the plan stays open, and the next start goes on with it.
    if (errnoOf(thrown) === null || thrown instanceof RefloatError) throw thrown;
    const data = { plan: execution.plan.id, why: ensureError(thrown).message };
    throw new RefloatError("E_ACT_BROKEN_OFF", data, thrown);
  }
}

async function carryOn(execution: Execution): Promise<ExecutedPlan> {
  const { store, claim, plan, isLate } = execution;
  const course: Course = { back: new Set(plan.back), conflicts: [], refusal: null };
  const { back, conflicts } = course;
  if (!plan.steps.has("tree")) {
    conflicts.push(...(await runTree(execution, back)));
    crashPoint("act.tree-done");
    if (plan.index.length > 0 || plan.refs.length > 0) await advance(execution, "tree", course);
    crashPoint("act.after-tree");
  }
  if (plan.index.length > 0 && !plan.steps.has("index")) {
    await runIndex(execution, course);
    if (plan.refs.length > 0) await advance(execution, "index", course);
    crashPoint("act.after-index");
  }
  const groups = [...plan.puts, ...plan.index].map(({ group }) => group);
  if (plan.refs.length > 0 && !groups.some((group) => back.has(group))) {
    await runRefs(execution, course);
    crashPoint("act.after-refs");
  }
  // A plan of refs alone has no groups.
  const isBack = groups.length === 0 ? course.refusal !== null : groups.every((group) => back.has(group));
  const outcome = isBack ? "rolled-back" : "done";
  crashPoint("act.before-settled");
  const record = planEndRecord(store.clock, plan.id, { outcome, late: isLate, back, conflicts });
  await store.append(claim.session, { attempt: claim.attempt }, [record]);
  crashPoint("act.after-settled");
  return { outcome, ...course };
}

async function advance({ store, claim, plan }: Execution, step: PlanStep, course: Course): Promise<void> {
  const record = advancedRecord(store.clock, plan.id, step, course.back, course.conflicts);
  await store.append(claim.session, { attempt: claim.attempt }, [record]);
}

async function runIndex(execution: Execution, course: Course): Promise<void> {
  const { plan, store } = execution;
  const repository = await repositoryOf(execution);
  for (;;) {
    const edits = plan.index.filter(({ group }) => !course.back.has(group));
    if (edits.length === 0) return;
    await execution.claim.recheck();
    await bringObjects(store, repository, plan.id, plan.objects, edits);
    const outcome = await editIndex(indexWork(execution, repository), edits);
    switch (outcome.kind) {
      case "edited":
        return;
      case "conflict":
        course.conflicts.push(...outcome.edits.map(indexConflict));
        await goBack(execution, course, new Set(outcome.edits.map(({ group }) => group)));
        break;
      case "locked":
        await refuse(execution, course, edits, lockedError(repository));
        break;
      case "head-moved":
        await refuse(execution, course, edits, headMoved(execution, repository));
        break;
      default:
        return outcome satisfies never;
    }
  }
}

/** Not a path's fault: whatever needs the index goes back, and the whole act is refused if nothing is left of it. */
async function refuse(
  execution: Execution,
  course: Course,
  edits: readonly IndexEdit[],
  refusal: RefloatError,
): Promise<void> {
  course.refusal = refusal;
  course.conflicts.push(...edits.map((edit) => ({ ...indexConflict(edit), why: refusal.message })));
  await goBack(execution, course, new Set(edits.map(({ group }) => group)));
}

const lockedError = (location: Location): RefloatError =>
  new RefloatError("E_INDEX_LOCKED", { path: lockedIndex(location, "").lock });

async function runRefs(execution: Execution, course: Course): Promise<void> {
  const { plan, store, claim } = execution;
  const repository = await repositoryOf(execution);
  await claim.recheck();
  const work = { repository, clock: store.clock, plan: plan.id, act: plan.act };
  const outcome = await swapRefs(work, plan.refs);
  if (outcome.kind === "swapped") return;
  course.refusal = outcome.error;
  await goBack(execution, course, new Set([...plan.puts, ...plan.index].map(({ group }) => group)));
}

/** Whole units: index first, then tree, the other way round from how they came. */
async function goBack(execution: Execution, course: Course, hit: ReadonlySet<string>): Promise<void> {
  const { plan } = execution;
  const units = unitsOfPlan(plan).filter(({ groups }) => groups.some((group) => hit.has(group)));
  const groups = new Set(units.flatMap((unit) => unit.groups));
  const edits = plan.index.filter(({ group }) => groups.has(group) && !course.back.has(group));
  if (edits.length > 0) await takeOutOfIndex(execution, edits);
  course.conflicts.push(...(await putTreeBack(execution, units, course.back)));
  for (const group of groups) course.back.add(group);
}

/**
 * Entries that are as the plan put them become what they were. Not those that HEAD has by now: the user committed
 * them, and the older entry would stage the reversal of his commit (W7).
 */
async function takeOutOfIndex(execution: Execution, edits: readonly IndexEdit[]): Promise<void> {
  const { plan, store } = execution;
  const repository = await repositoryOf(execution);
  const paths = edits.map(({ path }) => path);
  const staged = await indexEntries(repository, paths);
  const headId = await readRef(repository, "HEAD");
  const atHead = headId === null ? new Map() : await objectsAt(repository, headId, paths);
  const ours = edits.filter(({ path, put }) => {
    const isCommitted = put.length === 1 && put[0]?.id === atHead.get(path)?.id;
    const isGone = put.length === 0 && !atHead.has(path) && headId !== null && plan.refs.length > 0;
    return isSameStaged(staged.get(path) ?? [], put) && !isCommitted && !isGone;
  });
  if (ours.length === 0) return;
  const reversed = ours.map((edit) => ({ ...edit, expect: edit.put, put: edit.expect }));
  await bringObjects(store, repository, plan.id, plan.objects, reversed);
  await editIndex({ ...indexWork(execution, repository), isStill: () => true }, reversed);
}

async function repositoryOf({ workspace }: Execution): Promise<Repository> {
  if (workspace.kind === "folder")
    throw new RefloatError("E_INTERNAL", { why: "a plan for a folder without git has index edits or refs" });
  return workspace.repository();
}

function indexWork({ plan, store }: Execution, repository: Repository): IndexWork {
  return {
    repository,
    clock: store.clock,
    plan: plan.id,
    token: plan.token,
    isStill: () => isHeadAt(repository, plan.head),
  };
}

/** Undefined: it does not matter. What the files do not tell is left to the compare-and-swap of the refs. */
export function isHeadAt(location: Location, branch: string | null | undefined): boolean {
  if (branch === undefined) return true;
  const head = headFromFiles(location);
  if (head === null) return true;
  const now = head.detached || head.branch === null ? null : fullName(head.branch);
  return now === branch;
}

const fullName = (branch: string): string => (branch.startsWith("refs/") ? branch : `refs/heads/${branch}`);

function headMoved({ plan }: Execution, location: Location): RefloatError {
  const head = headFromFiles(location);
  return headMovedError(plan.head, head?.branch ?? null);
}

export const headMovedError = (expected: string | null | undefined, found: string | null): RefloatError =>
  new RefloatError("E_REF_MOVED", {
    ref: "HEAD",
    expected: expected ?? "no branch",
    found: found ?? "no branch",
  });
