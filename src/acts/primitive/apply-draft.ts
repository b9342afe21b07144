/**
 * The one primitive (DESIGN 7). Every act on the user's tree, index and refs comes here as a draft:
 *
 *  1. The workspace's claim is taken; what a dead executor left is finished or rolled back.
 *  2. Everything is looked at and decided: whole groups, or none of a group.
 *  3. The safety capture: every path that will change is held, without a gap (W4), before anything changes.
 *  4. The plan is durable (S5).
 *  5. It is carried out (execute-plan.ts), and the journal hears of its end.
 *
 * A refusal comes before 4: nothing was changed. What fails after 4 throws, and the next start finishes the plan or rolls it back.
 */
import { statfsSync } from "node:fs";
import { type ErrorCode, RefloatError } from "../../model/errors.ts";
import { ACT_BUDGET_MS, ACT_SPARE_BYTES } from "../../model/limits.ts";
import type { PathName } from "../../model/path-name.ts";
import type { PathState } from "../../model/path-state.ts";
import { crashPoint } from "../../platform/crash-point.ts";
import { errnoOf } from "../../platform/io-error.ts";
import type { Environment } from "../../platform/places.ts";
import { randomId } from "../../platform/random.ts";
import { canLink } from "../../platform/tree-names.ts";
import type { Store } from "../../store/store.ts";
import { shownPath } from "../../text/shown-path.ts";
import { takeCapture } from "../../workspace/captures/take-capture.ts";
import { treeMark } from "../../workspace/opening/tree-mark.ts";
import type { Workspace } from "../../workspace/opening/workspace.ts";
import { readingOf } from "../../workspace/tree/reading.ts";
import { type ActsClaim, withActsClaim } from "../plans/acts-session.ts";
import type { PlanDraft } from "../plans/draft.ts";
import type { ActOutcome, PlannedPaths } from "../plans/outcome.ts";
import { findPlan, type Plan } from "../plans/plans.ts";
import { emptyData, madeRecord, type NewPlan } from "../plans/records.ts";
import { assertGitReady, holdBlobs, lookAtIndex } from "./before-plan.ts";
import { type DraftDecision, decideDraft, type StagedAt } from "./decide-draft.ts";
import { executePlan } from "./execute-plan.ts";
import { finishPlansUnder } from "./finish-plans.ts";
import { type GatheredDraft, gatherDraft } from "./gather-draft.ts";
import { openTree } from "./tree/tree.ts";

export interface ApplyOptions {
  readonly env: Environment;
  /** Paths swapped so far, of how many. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** Thrown before anything was looked at: another executor has the workspace. */
const BUSY: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["E_ACT_BUSY"]);

/** Errors that say "not now" or "not here". Only before the plan is made: later they are no refusal. */
const REFUSALS: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "E_ACT_BUSY",
  "E_ACT_NO_LINKS",
  "E_ACT_NO_ROOM",
  "E_ACT_UNPROVED",
  "E_CAPTURE_GAP",
  "E_CAPTURE_MOVING",
  "E_BRANCH_ELSEWHERE",
  "E_GIT_IN_PROGRESS",
  "E_INDEX_LOCKED",
  "E_REF_BACKWARDS",
  "E_REF_MOVED",
  "E_NO_CONTENT",
  "E_STORE_CAP",
  "E_STORE_FULL",
]);

/** One draft on its way through the steps. */
interface DraftApplication {
  readonly store: Store;
  readonly workspace: Workspace;
  readonly draft: PlanDraft;
  readonly options: ApplyOptions;
  readonly claim: ActsClaim;
}

/** Whatever came of it, it is no longer a plan only. */
export type AppliedAct = Exclude<ActOutcome, { kind: "planned" }>;

type PreparedPlan =
  | { readonly kind: "over"; readonly outcome: AppliedAct }
  | { readonly kind: "made"; readonly plan: Plan; readonly decided: DraftDecision };

/** Looks and decides only: nothing is changed, not even the store. */
export async function planDraft(
  store: Store,
  workspace: Workspace,
  draft: PlanDraft,
): Promise<Extract<ActOutcome, { kind: "planned" }>> {
  const { decided } = await lookAndDecide(store, workspace, draft);
  return { kind: "planned", ...planned(decided) };
}

export async function applyDraft(
  store: Store,
  workspace: Workspace,
  draft: PlanDraft,
  options: ApplyOptions,
): Promise<AppliedAct> {
  return refusing(BUSY, () =>
    withActsClaim(store, workspace, (claim) =>
      sayingMovedAway(draft, () => applyUnder({ store, workspace, draft, options, claim })),
    ),
  );
}

async function applyUnder(applying: DraftApplication): Promise<AppliedAct> {
  const { store, workspace, claim } = applying;
  const prepared = await refusing(REFUSALS, async () => {
    await finishPlansUnder(store, workspace, claim);
    return prepare(applying);
  });
  switch (prepared.kind) {
    case "refused":
      return prepared;
    case "over":
      return prepared.outcome;
    case "made":
      return carryOut(applying, prepared);
    default:
      return prepared satisfies never;
  }
}

/** A folder that goes between two looks at it is no error of ours: it is said as what it is, and what was begun stays open. */
async function sayingMovedAway<T>({ puts }: PlanDraft, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    const code = errnoOf(thrown);
    const [first] = puts;
    if (!first || thrown instanceof RefloatError || (code !== "ENOENT" && code !== "ENOTDIR")) throw thrown;
    throw new RefloatError("E_ACT_MOVED_AWAY", { path: shownPath(first.path) }, thrown);
  }
}

type RefusedAct = Extract<ActOutcome, { kind: "refused" }>;

async function refusing<T>(codes: ReadonlySet<ErrorCode>, work: () => Promise<T>): Promise<T | RefusedAct> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof RefloatError && codes.has(thrown.code)) return { kind: "refused", error: thrown };
    throw thrown;
  }
}

async function prepare(applying: DraftApplication): Promise<PreparedPlan> {
  const { store, workspace, draft, claim } = applying;
  assertProof(workspace);
  await assertGitReady(store, workspace, draft);
  const { gathered, staged, decided: first } = await lookAndDecide(store, workspace, draft);
  assertRoom(workspace, first);
  const held = await hold(applying, first);
  // What changed between the two readings is a conflict, like any other.
  const seen = new Map([...gathered.seen, ...held.seen]);
  const decided = decideDraft(draft, { ...gathered, seen }, staged);
  if (isNothing(draft, decided)) return { kind: "over", outcome: { kind: "untouched", ...planned(decided) } };
  const objects = await holdBlobs(store, workspace, decided.index, draft.objects);
  crashPoint("act.before-plan");
  const plan = planFrom(applying, gathered, decided, { capture: held.capture, objects });
  const record = madeRecord(store.clock, plan, draft.contents);
  await store.append(claim.session, { attempt: claim.attempt }, [record]);
  const made = await findPlan(store, workspace, plan.id);
  if (!made) throw new RefloatError("E_INTERNAL", { why: "a plan just made cannot be read" });
  return { kind: "made", plan: made, decided };
}

/** With refs all groups are one: one conflict, and the refs stay too. */
function isNothing(
  { refs = [], isNoted = false }: PlanDraft,
  { puts, index, untouched }: DraftDecision,
): boolean {
  if (refs.length > 0) return untouched.length > 0;
  return puts.length === 0 && index.length === 0 && !(isNoted && untouched.length === 0);
}

async function lookAndDecide(
  store: Store,
  workspace: Workspace,
  draft: PlanDraft,
): Promise<{ gathered: GatheredDraft; staged: StagedAt; decided: DraftDecision }> {
  const gathered = await gatherDraft(workspace, draft, store.clock);
  const staged = await lookAtIndex(workspace, draft);
  return { gathered, staged, decided: decideDraft(draft, gathered, staged) };
}

/** The safety capture of every path that will change; folders hold nothing themselves. */
async function hold(
  { store, workspace, options: { env }, claim: { session } }: DraftApplication,
  { puts }: DraftDecision,
): Promise<{ capture: string | null; seen: ReadonlyMap<PathName, PathState> }> {
  const paths = puts.filter(({ expect }) => expect?.kind !== "directory").map(({ path }) => path);
  if (paths.length === 0) return { capture: null, seen: new Map() };
  const taken = await takeCapture(store, workspace, {
    env,
    session,
    reason: "safety",
    paths,
    limits: { budgetMs: ACT_BUDGET_MS },
  });
  const { entries } = readingOf(taken.capture);
  return { capture: taken.id, seen: new Map(entries.map(({ path, state }) => [path, state])) };
}

function planFrom(
  { workspace, draft, claim: { owner } }: DraftApplication,
  { makes, empties }: GatheredDraft,
  decided: DraftDecision,
  held: Pick<NewPlan, "capture" | "objects">,
): NewPlan {
  return {
    id: randomId(),
    act: draft.act,
    session: draft.session,
    note: draft.note ?? null,
    executor: owner,
    workspace: { path: workspace.root, clone: treeMark(workspace) },
    ...held,
    token: randomId(),
    head: draft.head,
    puts: decided.puts,
    index: decided.index,
    refs: draft.refs ?? [],
    makes,
    empties,
    conflicts: decided.conflicts,
    covers: (draft.covers ?? []).filter((group) => !decided.untouched.includes(group)),
    undoes: draft.undoes ?? null,
    redoes: draft.redoes ?? null,
    data: draft.data ?? emptyData,
  };
}

async function carryOut(
  { store, workspace, options: { onProgress }, claim }: DraftApplication,
  { plan, decided }: Extract<PreparedPlan, { kind: "made" }>,
): Promise<AppliedAct> {
  crashPoint("act.after-plan");
  const executed = await executePlan({ store, workspace, claim, plan, isLate: false, onProgress });
  if (executed.refusal && executed.outcome === "rolled-back")
    return { kind: "refused", error: executed.refusal };
  const { back, conflicts } = executed;
  const { paths, already } = decided;
  return {
    kind: "done",
    plan: plan.id,
    capture: plan.capture,
    already,
    paths: paths.filter(({ group }) => !back.has(group)),
    conflicts: [...decided.conflicts, ...conflicts],
    untouched: [...new Set([...decided.untouched, ...back])],
  };
}

const planned = ({ paths, already, conflicts, untouched }: DraftDecision): PlannedPaths => ({
  paths,
  already,
  conflicts,
  untouched,
});

/** W3: where a path cannot be walked by descriptor, nothing keeps a swapped folder from leading elsewhere. */
function assertProof({ root }: Workspace): void {
  const tree = openTree(root, "");
  try {
    if (!tree.isProof) throw new RefloatError("E_ACT_UNPROVED", {});
    if (!canLink(root)) throw new RefloatError("E_ACT_NO_LINKS", { path: root });
  } finally {
    tree.close();
  }
}

/** T5: the new files must fit beside the old ones. */
function assertRoom({ root }: Workspace, { puts }: DraftDecision): void {
  const bytes = puts.reduce((sum, { put }) => sum + (put?.size ?? 0), 0);
  const needed = bytes + ACT_SPARE_BYTES;
  const { bavail, bsize } = statfsSync(root);
  if (bytes > 0 && needed > bavail * bsize)
    throw new RefloatError("E_ACT_NO_ROOM", { path: root, needed, free: bavail * bsize });
}
