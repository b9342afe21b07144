/** What `refloat/workspace` changes in a tree: by a plan that is shown first, and that can be taken back. */
import type { ActOutcome } from "../acts/plans/outcome.ts";
import type { ActHow, EndedAct } from "../app/acts/act.ts";
import { restore } from "../app/acts/restore.ts";
import {
  conflictJson,
  type ShownAct,
  type ToldCommits,
  type ToldConflict,
  type ToldGroupAct,
  type ToldLeft,
  type ToldPlan,
  toldCommits,
  toldConflicts,
  toldLeft,
  toldPlan,
  toldRemoval,
} from "../app/acts/told-act.ts";
import {
  type EndedRecreation,
  redo,
  type UndoMeant,
  undoMeant,
  undoOrder,
  undoPlan,
  undoRemoval,
} from "../app/acts/undo.ts";
import { unpark } from "../app/acts/unpark.ts";
import type { AppPlace } from "../app/place/app-place.ts";
import { pathFrom } from "../app/place/workspace-here.ts";
import { leftJson } from "../app/salvage/left-by-discard.ts";
import type { SalvageFace } from "../app/salvage/salvage-session.ts";
import { settle } from "../app/salvage/settle.ts";
import type { EndedSettle, SettleDecision } from "../app/salvage/settle-order.ts";
import { saysLeft, toldSettle } from "../app/salvage/told-settle.ts";
import { tellsNobody } from "../app/telling/news.ts";
import { RefloatError } from "../model/errors.ts";

/** As of `--json`: what is done with each group, or with each path; of an undo or a redo with what it does to commits. */
export type WorkspacePlan = ToldPlan & Partial<ToldCommits>;
export type WorkspaceAct = ToldGroupAct;
export type WorkspaceConflict = ToldConflict;

/** `left` and `already`: where the command's JSON has them, so of a discard, undo, redo, unpark and restore. */
export interface WorkspaceReceipt extends Partial<ToldCommits>, Partial<ToldLeft> {
  /** `planned`: nobody was asked. `declined`: whoever was said no. `nothing`: nothing was done. `done`: a plan was made. */
  readonly kind: "planned" | "declined" | "nothing" | "done";
  readonly plan: WorkspacePlan;
  /** What is not as the plan expects is left as it is (W5). */
  readonly conflicts: readonly WorkspaceConflict[];
  readonly commit: string | null;
}

/** Shown the plan; true: do it. Left out: nothing is changed, and the plan is what comes back. */
export type AskWorkspace = (plan: WorkspacePlan) => boolean | Promise<boolean>;

export interface ActOptions {
  readonly ask?: AskWorkspace;
  readonly onProgress?: (done: number, total: number) => void;
}

export interface SettleOptions extends ActOptions {
  /** Left out: the newest unsettled session here, else the newest, else what nobody recorded. */
  readonly session?: string;
  /** Left out, as `paths`: everything of the session. An empty list is refused: a filter that found nothing means nothing. */
  readonly groups?: readonly string[];
  /** From the folder that was opened. */
  readonly paths?: readonly string[];
  /** Only groups that are safe. */
  readonly isSafe?: boolean;
  /** Your word that what nobody recorded is yours to settle (S1). */
  readonly isAdopted?: boolean;
  /** Of a commit; left out: one of the files. */
  readonly message?: string;
}

const answer = async (ask: AskWorkspace | undefined, plan: WorkspacePlan): Promise<"yes" | "no"> =>
  ask && (await ask(plan)) ? "yes" : "no";

/** Nobody is shown how far it is, unless he asked for it. */
export const quietFace = (
  onProgress: ActOptions["onProgress"],
  signal: AbortSignal = new AbortController().signal,
): SalvageFace => ({
  tell: tellsNobody,
  progress: { onProgress: onProgress ?? (() => undefined), end: () => undefined },
  untilStopped: (work) => work(signal),
});

/** A filter that found nothing would otherwise mean everything (T1). */
function assertNotEmpty(name: "groups" | "paths", list: readonly string[] | undefined): void {
  if (list?.length === 0)
    throw new RefloatError("E_USAGE", { why: `${name} is empty: leave it out to mean everything` });
}

export async function settleHere(
  at: AppPlace,
  does: SettleDecision,
  options: SettleOptions,
): Promise<WorkspaceReceipt> {
  const { ask, session = null, groups = [], paths = [], message = null } = options;
  assertNotEmpty("groups", options.groups);
  assertNotEmpty("paths", options.paths);
  const ended = await settle(
    at,
    {
      mayAct: ask !== undefined,
      ask: (planned) => answer(ask, toldSettle(planned)),
      askPutBack: (planned) => answer(ask, actPlan(planned)),
      review: null,
      ...quietFace(options.onProgress),
    },
    {
      ...{ session, does, message, branch: null, hooks: "scratch", acceptsHookChanges: false },
      selection: {
        ids: groups,
        isSafe: options.isSafe ?? false,
        isAll: false,
        isAdopted: options.isAdopted ?? false,
      },
      paths: (here) => paths.map((path) => pathFrom(here, path)),
      isDryRun: ask === undefined,
      ...{ isLinking: false, isOfEnded: false, order: null, agreed: null },
      ...{ isChecking: true, toleratesConfig: false },
      // S2: of these only `settle` stops what is left running.
      stops: does.kind === "settle" ? "dead-sessions" : null,
    },
  );
  return settleReceipt(does, ended);
}

function settleReceipt(does: SettleDecision, ended: EndedSettle): WorkspaceReceipt {
  if (ended.kind === "signal") throw new RefloatError("E_INTERNAL", { why: "a review nobody was shown" });
  const { found, settled } = ended;
  return {
    kind: cameOf(ended.kind, settled.outcome),
    plan: toldSettle(ended),
    conflicts: settled.conflicts.map(conflictJson),
    commit: settled.commit,
    ...(saysLeft(does, found) ? leftJson(found, settled) : {}),
  };
}

/** Where all that was agreed to turned out to be in conflict no plan was made, and nothing was done (T1). */
const cameOf = (kind: WorkspaceReceipt["kind"], outcome: ActOutcome): WorkspaceReceipt["kind"] =>
  kind === "done" && outcome.kind !== "done" ? "nothing" : kind;

const actHow = ({ ask, onProgress }: ActOptions): ActHow => ({
  isDryRun: ask === undefined,
  mayAct: ask !== undefined,
  ask: (planned) => answer(ask, actPlan(planned)),
  ...quietFace(onProgress),
});

const actPlan = (shown: ShownAct): WorkspacePlan => ({
  ...toldPlan(shown),
  ...toldCommits(shown.compiled),
});

function actReceipt(ended: EndedAct): WorkspaceReceipt {
  if (ended.kind === "refused") throw ended.error;
  return {
    kind: cameOf(ended.kind, ended.outcome),
    plan: actPlan(ended),
    conflicts: toldConflicts(ended),
    commit: ended.kind === "done" ? ended.commit : null,
    ...toldCommits(ended.compiled),
    ...toldLeft(ended),
  };
}

/** One order may have been carried out in several trees: a receipt for each. */
export async function undoHere(
  at: AppPlace,
  { plan, ...options }: ActOptions & { readonly plan?: string },
): Promise<readonly WorkspaceReceipt[]> {
  const meant = await undoMeant(at, plan ?? null);
  const how = actHow(options);
  switch (meant.kind) {
    case "plan":
      return [actReceipt(await undoPlan(at, how, meant.plan))];
    case "order":
      return (await undoOrder(at, how, meant.plans)).map(actReceipt);
    case "removal": {
      const ask = () => answer(options.ask, toldRemoval(meant, false));
      return [removalReceipt(meant, await undoRemoval(at, meant, { isDryRun: how.isDryRun, ask }))];
    }
    default:
      return meant satisfies never;
  }
}

function removalReceipt(
  meant: Extract<UndoMeant, { kind: "removal" }>,
  ended: EndedRecreation,
): WorkspaceReceipt {
  const trees = ended.kind === "done" ? ended.trees : [];
  const isAny = trees.some(({ conflicts }) => conflicts.length === 0);
  const conflicts = trees.flatMap((tree) => tree.conflicts.map(conflictJson));
  return {
    kind: ended.kind === "done" && !isAny ? "nothing" : ended.kind,
    plan: toldRemoval(meant, isAny && conflicts.length === 0),
    conflicts,
    ...{ commit: null, left: [], already: [] },
  };
}

export const redoHere = async (at: AppPlace, options: ActOptions): Promise<WorkspaceReceipt> =>
  actReceipt(await redo(at, actHow(options)));

export const unparkHere = async (
  at: AppPlace,
  name: string,
  options: ActOptions,
): Promise<WorkspaceReceipt> => actReceipt(await unpark(at, actHow(options), name));

export async function restoreHere(
  at: AppPlace,
  of: string,
  { paths, ...options }: ActOptions & { readonly paths?: readonly string[] },
): Promise<WorkspaceReceipt> {
  assertNotEmpty("paths", paths);
  const ended = await restore(at, actHow(options), {
    of,
    paths: (here) => (paths ?? []).map((path) => pathFrom(here, path)),
    to: null,
  });
  if (ended.kind !== "act") throw new RefloatError("E_INTERNAL", { why: "a copy nobody asked for" });
  return actReceipt(ended.act);
}
