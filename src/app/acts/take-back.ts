/** A plan taken back, or an undo taken back again: the history of the workspace's plans, and what of it can go now. */
import { fitTaken } from "../../acts/compilers/fit-taken.ts";
import { treeBefore } from "../../acts/compilers/reverse-commit.ts";
import type { TakenBack, TakenDraft } from "../../acts/compilers/undo.ts";
import type { PlanDraft } from "../../acts/plans/draft.ts";
import { type History, historyOf } from "../../acts/plans/history.ts";
import { findPlan, type Plan, plansOf } from "../../acts/plans/plans.ts";
import { isHeadAt } from "../../acts/primitive/execute-plan.ts";
import { RefloatError } from "../../model/errors.ts";
import type { Store } from "../../store/store.ts";
import { headFromFiles } from "../../workspace/git/head.ts";
import { hasCommit, treeChanges } from "../../workspace/git/objects.ts";
import type { Repository } from "../../workspace/git/repository.ts";
import type { Workspace } from "../../workspace/opening/workspace.ts";
import { assertNotJudgedAs } from "../../workspace/trust/judged-session.ts";
import type { AppPlace } from "../place/app-place.ts";
import { type WorkspaceHere, workspaceAt, workspaceHere } from "../place/workspace-here.ts";
import type { RefloatStore } from "../store/open-store.ts";
import { type ActHow, type ActPlace, act, type EndedAct } from "./act.ts";
import type { CompiledAct, TakenCommit } from "./compiled-act.ts";
import { planPlace } from "./plan-place.ts";

/** Plans looked at, newest first: each holds two states of every path. Older ones are not undone by name. */
const MAX_PLANS = 200;
/** Of a commit's id in an error, as everywhere on screens. */
const SHOWN_ID_CHARS = 12;

type Choose = (history: History, newestFirst: readonly Plan[]) => TakenBack;

/** `named`: the plan that is meant, as it was typed; it may have been made in another tree. */
export async function takeBack(
  at: AppPlace,
  how: ActHow,
  what: "undo" | "redo",
  choose: Choose,
  named: string | null = null,
): Promise<EndedAct> {
  const store = await at.findStore();
  const here = await placeOf(at, store, named);
  if (!store) throw new RefloatError("E_NOTHING_TO_UNDO", { what, why: "nothing was done here" });
  return act(how, { store, here }, async () => {
    const plans = await newestPlans(store.raw, here.workspace);
    const taken = choose(historyOf(plans), plans);
    switch (taken.kind) {
      case "nothing":
        throw new RefloatError("E_NOTHING_TO_UNDO", { what, why: taken.why });
      case "blocked":
        throw new RefloatError("E_UNDO_BLOCKED", {
          plan: taken.plan.id,
          by: taken.by.id,
          act: taken.by.act,
        });
      case "draft":
        // T2: what was settled in a session's name is not its own to take back.
        if (!how.isDryRun)
          assertNotJudgedAs(here.env, taken.plan.session, `${what} an act on its own session`);
        return fittedAct(at, { store, here }, what, taken);
      default:
        return taken satisfies never;
    }
  });
}

/** Where somebody stands, or where the plan he names was made. */
async function placeOf(
  at: AppPlace,
  store: RefloatStore | null,
  named: string | null,
): Promise<WorkspaceHere> {
  const here = await workspaceHere(at, store);
  if (!store || named === null) return here;
  const place = await planPlace(store.raw, named);
  return place === null || place === here.workspace.root ? here : workspaceAt(at, store, place);
}

export async function newestPlans(store: Store, workspace: Workspace): Promise<Plan[]> {
  const plans: Plan[] = [];
  for await (const plan of plansOf(store, workspace)) {
    plans.push(plan);
    if (plans.length === MAX_PLANS) break;
  }
  return plans;
}

/** The act that a redo does again. */
async function baseOf(store: Store, workspace: Workspace, { draft }: TakenDraft): Promise<Plan | null> {
  let id = draft.redoes ?? null;
  for (let left = MAX_PLANS; id !== null && left > 0; left--) {
    const plan = await findPlan(store, workspace, id);
    if (!plan || plan.redoes === null) return plan;
    id = plan.redoes;
  }
  return null;
}

/** W2: where the branch may not go back, a commit reverses what it holds, and that is said. What cannot go now stays, and is said. */
async function fittedAct(
  at: AppPlace,
  { store, here }: ActPlace,
  what: "undo" | "redo",
  taken: TakenDraft,
): Promise<CompiledAct> {
  const { workspace, env } = here;
  const { draft: whole, plan } = taken;
  const base = (await baseOf(store.raw, workspace, taken)) ?? plan;
  const compiled: CompiledAct = {
    draft: whole,
    leftAlone: [],
    subject: { kind: "plan", what, act: base, plan },
    word: what === "redo" && base.act === "discard" ? "discard" : "restore",
    commit: null,
  };
  if (workspace.kind !== "git") return compiled;
  const repository = await workspace.repository();
  assertOnItsBranch(repository, whole);
  const fit = await fitTaken({ store: store.raw, workspace, repository }, taken);
  if (fit.kind === "rewritten")
    throw new RefloatError("E_UNDO_REWRITTEN", {
      branch: shortRef(fit.ref),
      commit: fit.reverses.slice(0, SHOWN_ID_CHARS),
    });
  const { reversal, stuck, leftAlone } = fit;
  const draft = fit.taken?.draft ?? { ...whole, puts: [], index: [], refs: [], isNoted: false };
  const commit = await takenCommit(repository, draft);
  const fitting = { ...compiled, draft, leftAlone, stuck, ...(commit ? { taken: commit } : {}) };
  if (reversal.kind === "none") return fitting;
  const { reverses, why } = reversal;
  return {
    ...fitting,
    reversal: { reverses, why, write: async () => reversal.write({ env, home: await at.home() }) },
  };
}

/** What a plan committed is taken back where it was committed: elsewhere the tree is another. */
function assertOnItsBranch(repository: Repository, { refs = [], head }: PlanDraft): void {
  if (refs.length === 0 || typeof head !== "string" || isHeadAt(repository, head)) return;
  const found = headFromFiles(repository)?.branch ?? null;
  throw new RefloatError("E_UNDO_ELSEWHERE", {
    branch: shortRef(head),
    found: found === null ? "no branch" : shortRef(found),
  });
}

const shortRef = (ref: string): string => ref.replace(/^refs\/heads\//, "");

/** Null: the plan moved no branch, or nobody has its commit any more. */
async function takenCommit(
  repository: Repository,
  { act: name, refs = [], head }: PlanDraft,
): Promise<TakenCommit | null> {
  const [swap, ...others] = refs;
  if (!swap || others.length > 0) return null;
  const { ref } = swap;
  const commit = name === "undo" ? swap.expect : swap.put;
  if (commit === null || !(await hasCommit(repository, commit))) return null;
  const parent = await treeBefore(repository, name === "undo" ? swap.put : swap.expect, commit);
  const paths = (await treeChanges(repository, parent, commit)).map(({ path }) => path);
  if (name !== "undo") return { commit, ref, paths, kind: "again" };
  // A branch of its own (`park --branch`): HEAD never was on it.
  const isWhole = head === undefined && swap.put === null;
  return { commit, ref, paths, kind: isWhole ? "branch-removed" : "uncommitted" };
}
