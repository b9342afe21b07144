/**
 * How everything is done to a tree that somebody orders (DESIGN 10): what an earlier command left is ended, the act is compiled
 * and looked at, whoever ordered it is asked, and it is done. With `isDryRun`, and where he says no, nothing is changed.
 */
import type { PlanDraft } from "../../acts/plans/draft.ts";
import type { ActOutcome } from "../../acts/plans/outcome.ts";
import { type AppliedAct, planDraft } from "../../acts/primitive/apply-draft.ts";
import { holdAndApply } from "../../acts/primitive/hold-and-apply.ts";
import type { RefloatError } from "../../model/errors.ts";
import type { WorkspaceHere } from "../place/workspace-here.ts";
import type { RefloatStore } from "../store/open-store.ts";
import type { Tell } from "../telling/news.ts";
import type { CompiledAct } from "./compiled-act.ts";
import { finishOrShowOpen } from "./finish-open.ts";

export interface ActPlace {
  readonly store: RefloatStore;
  readonly here: WorkspaceHere;
}

/** Whoever ordered it is shown the plan, and says yes or no. Throws where nobody can be asked. */
export type Ask<Plan> = (plan: Plan) => Promise<"yes" | "no">;

/** How far work is that takes its time; another length is another stretch of it. */
export interface Progress {
  readonly onProgress: (done: number, total: number) => void;
  end(): void;
}

/** What whoever orders an act hands in. */
export interface ActHow {
  /** Looks and says only. */
  readonly isDryRun: boolean;
  /** Known before the work: false: whatever is found, the plan is shown and nothing is changed. */
  readonly mayAct: boolean;
  readonly ask: Ask<PlannedAct>;
  readonly progress: Progress;
  readonly tell: Tell;
}

export interface PlannedAct {
  readonly here: WorkspaceHere;
  readonly compiled: CompiledAct;
  readonly outcome: Extract<ActOutcome, { kind: "planned" }>;
}

export type EndedAct =
  /** It was only looked at. */
  | ({ readonly kind: "planned" } & PlannedAct)
  /** Nothing would change. */
  | ({ readonly kind: "nothing" } & PlannedAct)
  /** Whoever was asked said no. */
  | ({ readonly kind: "declined" } & PlannedAct)
  /** `commit`: the one that reverses another, where one was made (W2). */
  | {
      readonly kind: "done";
      readonly here: WorkspaceHere;
      readonly compiled: CompiledAct;
      readonly outcome: Exclude<AppliedAct, { kind: "refused" }>;
      readonly commit: string | null;
    }
  /** Nothing was changed: busy, locked, no room, a ref that moved, ... */
  | { readonly kind: "refused"; readonly error: RefloatError };

type Compile = (onProgress: Progress["onProgress"]) => Promise<CompiledAct>;

export async function act(how: ActHow, { store, here }: ActPlace, compile: Compile): Promise<EndedAct> {
  const { progress } = how;
  const { workspace, env } = here;
  how.tell({ kind: "about", root: workspace.root });
  try {
    const open = { store: store.raw, workspace, env };
    await finishOrShowOpen(open, { mayWrite: how.mayAct && !how.isDryRun }, how.tell);
    const compiled = await compile(progress.onProgress);
    const outcome = await planDraft(store.raw, workspace, compiled.draft);
    progress.end();
    const planned: PlannedAct = { here, compiled, outcome };
    if (how.isDryRun) return { kind: "planned", ...planned };
    if (isNothing(planned)) return { kind: "nothing", ...planned };
    if ((await how.ask(planned)) === "no") return { kind: "declined", ...planned };
    return await carryOut(store, planned, progress);
  } finally {
    progress.end();
  }
}

async function carryOut(
  store: RefloatStore,
  { here, compiled, outcome: planned }: PlannedAct,
  { onProgress }: Progress,
): Promise<EndedAct> {
  const { draft, reversal } = compiled;
  let commit: string | null = null;
  const write = async (): Promise<PlanDraft> => {
    const made = await reversal?.write();
    commit = made?.commit ?? null;
    return made?.draft ?? draft;
  };
  const agreed = { draft, commit: compiled.commit, untouched: planned.untouched, write };
  const outcome = await holdAndApply(store.raw, here.workspace, agreed, { env: here.env, onProgress });
  return outcome.kind === "refused" ? outcome : { kind: "done", here, compiled, outcome, commit };
}

/** Nothing would change, and no conflict keeps it from doing so either. A commit changes no path, but the index and a ref. */
function isNothing({ compiled, outcome }: PlannedAct): boolean {
  const { index = [], refs = [], isNoted = false } = compiled.draft;
  if (outcome.paths.length > 0) return false;
  const isOfTree = index.length === 0 && refs.length === 0;
  return isOfTree && !(isNoted && outcome.conflicts.length === 0);
}

/** Something that was asked for was not done, or would not be. */
export const isShort = (
  { leftAlone, stuck = [] }: CompiledAct,
  outcome: Exclude<ActOutcome, { kind: "refused" }>,
): boolean =>
  stuck.length > 0 || outcome.conflicts.length > 0 || leftAlone.some(({ isConflict }) => isConflict);
