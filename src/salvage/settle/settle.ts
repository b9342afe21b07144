/**
 * Settling (DESIGN 7, 8): what is decided about each group, compiled to one draft of the one primitive, so that one undo
 * takes all of it back (S5). One commit for all groups that are committed; parked and discarded ones go back to what was
 * there before the session; the rest stays as it is.
 *
 * A group with a path that does not fit stays whole and untouched, and the others go on (DESIGN 15): it is taken out, and the
 * draft is made anew without it. Nothing is shown as done that is not on disk (T1).
 */

import { type CompiledCommit, compileCommit } from "../../acts/compilers/commit.ts";
import { guardCommit } from "../../acts/git/commit-guard.ts";
import type { HookMode } from "../../acts/git/commit-hooks.ts";
import { withTrailer } from "../../acts/git/commit-message.ts";
import type { CommitPath } from "../../acts/git/commit-objects.ts";
import { readRef } from "../../acts/git/swap-refs.ts";
import type { PathPut, PlanDraft, RefSwap } from "../../acts/plans/draft.ts";
import type { ActOutcome, Conflict } from "../../acts/plans/outcome.ts";
import { planDraft } from "../../acts/primitive/apply-draft.ts";
import { holdAndApply } from "../../acts/primitive/hold-and-apply.ts";
import { RefloatError } from "../../model/errors.ts";
import type { SessionId } from "../../model/ids.ts";
import type { JsonObject } from "../../model/json.ts";
import type { ActName } from "../../model/plan.ts";
import type { Environment } from "../../platform/places.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import type { Store } from "../../store/store.ts";
import type { Group } from "../../triage/verdict/group.ts";
import { pathsOf } from "../../workspace/compare/states.ts";
import type { Repository } from "../../workspace/git/repository.ts";
import type { Workspace } from "../../workspace/opening/workspace.ts";
import { inTrial } from "../../workspace/trust/judged-session.ts";
import type { Salvage } from "../judging/salvage.ts";
import { commitPathsOf, isStagedBySession } from "./commit-paths.ts";
import { messageFor } from "./message.ts";
import { branchSwap, refOf } from "./park-branch.ts";
import type { GroupAct } from "./policy.ts";
import { type PutBack, putBackGroups } from "./put-back-groups.ts";

export interface SettleOrder {
  readonly store: Store;
  readonly workspace: Workspace;
  readonly env: Environment;
  readonly rows: readonly SessionRow[];
  /** The store's folder, for scratch trees. */
  readonly home: string;
  readonly found: Salvage;
  readonly acts: readonly GroupAct[];
  readonly act: ActName;
  readonly message: string | null;
  /** Added to the message of a commit; null: none is asked for. */
  readonly trailer: string | null;
  /** What is parked is on a new branch of this name, too. */
  readonly branch?: string;
  readonly hooks: HookMode;
  /** What hooks make of the files that are committed is taken. */
  readonly acceptsHookChanges: boolean;
  /** Somebody named what is to be committed. */
  readonly isNamed: boolean;
  /** What several plans were ordered as; they are taken back together. */
  readonly order?: string;
  /** Looks and decides only: no object is written, no hook runs. */
  readonly isDryRun: boolean;
  readonly onNarration?: (line: string) => void;
  readonly onProgress?: (done: number, total: number) => void;
}

export interface SettleOutcome {
  readonly outcome: Exclude<ActOutcome, { kind: "refused" }>;
  /** As it came out: a group in conflict is left. */
  readonly acts: readonly GroupAct[];
  readonly conflicts: readonly Conflict[];
  readonly commit: string | null;
  /** The branch that has what is parked, where one is wanted. */
  readonly branch: ParkedBranch | null;
}

export interface ParkedBranch {
  readonly name: string;
  readonly commit: string;
}

/** Each round takes at least one group out; more rounds than this mean that somebody keeps writing. */
const MAX_ROUNDS = 20;

export async function settleGroups(order: SettleOrder): Promise<SettleOutcome> {
  const { held } = order.found.owned;
  // W8: what is held was judged, and is not in this tree: there is nothing here to act on before it is put back.
  if (held) throw new RefloatError("E_HELD_NOT_HERE", { session: held.session, path: order.workspace.root });
  const conflicts: Conflict[] = [];
  let acts = order.acts;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const drafted = await draftFor({ ...order, acts });
    if (drafted.kind === "unfit") {
      conflicts.push(...drafted.conflicts);
      acts = without(acts, drafted.conflicts);
      continue;
    }
    const { draft, commit, branch, headId } = drafted;
    const planned = await planDraft(order.store, order.workspace, draft);
    if (planned.conflicts.length > 0) {
      conflicts.push(...planned.conflicts);
      acts = without(acts, planned.conflicts);
      continue;
    }
    if (order.isDryRun || acts.every(({ act }) => act === "leave"))
      return { outcome: planned, acts, conflicts, commit, branch: null };
    const agreed = { draft, commit: headId };
    const outcome = await holdAndApply(order.store, order.workspace, agreed, {
      env: order.env,
      ...(order.onProgress ? { onProgress: order.onProgress } : {}),
    });
    if (outcome.kind === "refused") throw outcome.error;
    const isDone = outcome.kind === "done";
    return {
      outcome,
      acts: without(acts, outcome.conflicts),
      conflicts: [...conflicts, ...outcome.conflicts],
      commit: isDone ? commit : null,
      branch: isDone ? branch : null,
    };
  }
  throw new RefloatError("E_CAPTURE_MOVING", { what: "the tree", tries: MAX_ROUNDS });
}

/** A group in conflict is left, whole; and so is a record that tells of one. */
function without(acts: readonly GroupAct[], conflicts: readonly Conflict[]): GroupAct[] {
  const hit = new Map(conflicts.map(({ group, why }) => [group, why ?? "it changed meanwhile"]));
  return acts.map((one) => {
    const { id, describes } = one.group;
    const isOfHit = one.act === "commit" && describes?.some((group) => hit.has(group)) === true;
    const why = hit.get(id) ?? (isOfHit ? "what it tells of stays uncommitted" : undefined);
    return why === undefined ? one : { ...one, act: "leave" as const, why };
  });
}

type SettleDraft =
  | {
      readonly kind: "draft";
      readonly draft: PlanDraft;
      readonly commit: string | null;
      readonly branch: ParkedBranch | null;
      readonly headId: string | null;
    }
  | { readonly kind: "unfit"; readonly conflicts: readonly Conflict[] };

async function draftFor(order: SettleOrder): Promise<SettleDraft> {
  const { workspace, found, acts } = order;
  const repository = workspace.kind === "git" ? await workspace.repository() : null;
  const committed = await commitPart(order, repository);
  if (committed.kind === "unfit") return committed;
  const back = await putBackGroups(
    order,
    acts.filter(({ act }) => act === "park" || act === "discard"),
  );
  if (back.conflicts.length > 0) return { kind: "unfit", conflicts: back.conflicts };
  const { commit } = committed;
  const parked = await branchPart(order, repository);
  if (parked?.kind === "unfit") return parked;
  const refs = [...(commit?.refs ?? []), ...(parked ? [parked.swap] : [])];
  const draft: PlanDraft = {
    act: order.act,
    session: found.session.isImplied ? null : (found.session.id as SessionId),
    note: order.message,
    puts: [...committedPuts(committed.paths, commit), ...back.puts],
    index: [...(commit?.index ?? []), ...back.index],
    ...(refs.length > 0 ? { refs } : {}),
    ...(commit ? { head: commit.head } : {}),
    data: dataOf(order, back, commit),
  };
  const { headId } = found.owned.now;
  const branch = parked && { name: order.branch ?? "", commit: parked.swap.put };
  return { kind: "draft", draft, commit: commit?.commit ?? null, branch, headId };
}

type CommitDraft =
  | { readonly kind: "part"; readonly paths: readonly CommitPath[]; readonly commit: CompiledCommit | null }
  | Extract<SettleDraft, { kind: "unfit" }>;

async function commitPart(order: SettleOrder, repository: Repository | null): Promise<CommitDraft> {
  const groups = order.acts.filter(({ act }) => act === "commit").map(({ group }) => group);
  if (groups.length === 0) return { kind: "part", paths: [], commit: null };
  const { workspace, found, env, home, hooks, isNamed, onNarration } = order;
  if (!repository)
    throw new RefloatError("E_NO_GIT", { path: workspace.root, why: "there is nothing to commit to" });
  const { head } = await guardCommit(repository, { env, isNamed });
  if (head.id !== found.owned.now.headId) throw movedError(head.id, found.owned.now.headId);
  const read = await pathsOfGroups(order, repository, groups);
  if (read.kind === "unfit") return read;
  const all = read.paths;
  if (order.isDryRun) return { kind: "part", paths: all, commit: null };
  const compiled = await compileCommit(repository, {
    env: inTrial(env, found.session.id),
    home,
    paths: all,
    message: withTrailer(order.message ?? messageFor(found, groups), order.trailer),
    isNamed,
    hooks,
    acceptsChanges: order.acceptsHookChanges,
    isStagedBySession: isStagedBySession(found),
    ...(onNarration ? { onNarration } : {}),
  });
  if (compiled.kind === "compiled") {
    for (const { bytes } of compiled.hooked) await order.store.putContent(bytes);
    return { kind: "part", paths: all, commit: compiled };
  }
  return {
    kind: "unfit",
    conflicts: compiled.paths.map(({ path, group, why }) => conflictAt(path, group, why)),
  };
}

async function pathsOfGroups(
  { store, workspace, found }: SettleOrder,
  repository: Repository,
  groups: readonly Group[],
): Promise<
  { readonly kind: "paths"; readonly paths: CommitPath[] } | Extract<SettleDraft, { kind: "unfit" }>
> {
  const paths: CommitPath[] = [];
  const conflicts: Conflict[] = [];
  for (const group of groups) {
    const read = await commitPathsOf(group, { store, repository, root: workspace.root, found });
    if (read.kind === "paths") paths.push(...read.paths);
    else
      conflicts.push({
        ...conflictAt(read.path, group.id, read.why),
        ...("earlier" in read ? { earlier: read.earlier } : {}),
      });
  }
  return conflicts.length > 0 ? { kind: "unfit", conflicts } : { kind: "paths", paths };
}

/** Null: no branch is wanted, or it is only looked. */
async function branchPart(
  order: SettleOrder,
  repository: Repository | null,
): Promise<
  | { readonly kind: "swap"; readonly swap: RefSwap & { readonly put: string } }
  | Extract<SettleDraft, { kind: "unfit" }>
  | null
> {
  const { branch, env, home, found } = order;
  const groups = order.acts.filter(({ act }) => act === "park").map(({ group }) => group);
  if (branch === undefined || groups.length === 0) return null;
  if (!repository)
    throw new RefloatError("E_NO_GIT", { path: order.workspace.root, why: "there are no branches" });
  const ref = await refOf(repository, branch);
  if ((await readRef(repository, ref)) !== null) throw new RefloatError("E_BRANCH_EXISTS", { branch });
  const read = await pathsOfGroups(order, repository, groups);
  // No order of commits helps a branch: it is made of this work alone.
  if (read.kind === "unfit")
    return { ...read, conflicts: read.conflicts.map(({ earlier: _, ...conflict }) => conflict) };
  if (order.isDryRun) return null;
  const message = withTrailer(order.message ?? messageFor(found, groups), order.trailer);
  const swap = await branchSwap(repository, { env, home, branch, paths: read.paths, message });
  return { kind: "swap", swap };
}

const conflictAt = (path: Conflict["path"], group: string, why: string): Conflict => ({
  path,
  group,
  expected: null,
  found: null,
  why,
});

function movedError(found: string | null, expected: string | null): RefloatError {
  const name = (id: string | null): string => id?.slice(0, 12) ?? "nothing";
  return new RefloatError("E_REF_MOVED", { ref: "HEAD", found: name(found), expected: name(expected) });
}

/**
 * What is committed stays in the tree as it is, but for what a hook made of it: a path that is another one by now is a conflict
 * (W5).
 */
function committedPuts(paths: readonly CommitPath[], commit: CompiledCommit | null): PathPut[] {
  const hooked = new Map(commit?.hooked.map(({ path, state }) => [path, state]));
  return paths
    .filter(({ state }) => state?.kind !== "submodule")
    .map(({ path, group, inTree }) => ({ path, group, expect: inTree, put: hooked.get(path) ?? inTree }));
}

function dataOf(
  { acts, found, order }: SettleOrder,
  back: PutBack,
  commit: CompiledCommit | null,
): NonNullable<PlanDraft["data"]> {
  const done = acts.filter(({ act }) => act !== "leave");
  return {
    acts: Object.fromEntries(done.map(({ group, act }) => [group.id, act])),
    commit: commit?.commit ?? null,
    parked: done
      .filter(({ act }) => act === "park")
      .map(({ group }) => ({
        name: group.id,
        verdict: group.verdict,
        why: group.reasons[0]?.message ?? null,
        reasons: keptReasons(group.reasons),
        goal: found.goal,
        paths: group.changes.flatMap(({ change }) => pathsOf(change)).length,
      })),
    reconstructed: back.reconstructed,
    ...(order === undefined ? {} : { order }),
  };
}

/** Kept in the plan, beside the bytes: what the verdict rested on when it was parked. */
const MAX_KEPT_REASONS = 5;
/** Places of one reason; more of them say the same. */
const MAX_KEPT_EVIDENCE = 10;

const keptReasons = (reasons: SettleOrder["acts"][number]["group"]["reasons"]): JsonObject[] =>
  reasons.slice(0, MAX_KEPT_REASONS).map(({ rule, weight, message, evidence }) => ({
    rule,
    weight,
    message,
    evidence: evidence.slice(0, MAX_KEPT_EVIDENCE),
  }));
