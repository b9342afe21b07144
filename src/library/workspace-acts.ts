/** What `refloat/workspace` changes in a tree: by a plan that is shown first, and that can be taken back. */
import type { ActOutcome } from "../acts/plans/outcome.ts";
import type { ActHow, EndedAct, PlannedAct } from "../app/acts/act.ts";
import { restore } from "../app/acts/restore.ts";
import { redo, undoMeant, undoOrder, undoPlan, undoRemoval } from "../app/acts/undo.ts";
import { unpark } from "../app/acts/unpark.ts";
import type { AppPlace } from "../app/place/app-place.ts";
import type { SalvageFace } from "../app/salvage/salvage-session.ts";
import { settle } from "../app/salvage/settle.ts";
import type { EndedSettle, PlannedSettle, SettleDecision } from "../app/salvage/settle-order.ts";
import { tellsNobody } from "../app/telling/news.ts";
import { RefloatError } from "../model/errors.ts";
import { type PathJson, type PathName, type PathsJson, pathJson, pathsJson } from "../model/path-name.ts";
import type { SettleAct } from "../salvage/settle/policy.ts";
import { pathInWorkspace } from "../workspace/opening/workspace.ts";

/** As of `--json`: what is done with each group, or with each path. */
export interface WorkspacePlan {
  /** Null: nothing was done by it. */
  readonly id: string | null;
  /** Null: of an implied session. */
  readonly session: string | null;
  readonly acts: readonly WorkspaceAct[];
}

export interface WorkspaceAct extends PathsJson {
  readonly group: string;
  readonly act: SettleAct | "restore";
  /** Why it is left, where a rule says so. */
  readonly why?: string;
}

export interface WorkspaceReceipt {
  /** `planned`: nobody was asked. `declined`: whoever was said no. `nothing`: nothing was to be done. */
  readonly kind: "planned" | "declined" | "nothing" | "done";
  readonly plan: WorkspacePlan;
  /** What is not as the plan expects is left as it is (W5). */
  readonly conflicts: readonly (PathJson & { readonly group: string })[];
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
  /** Left out: everything of the session. */
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

export async function settleHere(
  at: AppPlace,
  does: SettleDecision,
  options: SettleOptions,
): Promise<WorkspaceReceipt> {
  const { ask, session = null, groups = [], paths = [], message = null } = options;
  const ended = await settle(
    at,
    {
      mayAct: ask !== undefined,
      ask: (planned) => answer(ask, settlePlan(planned)),
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
      paths: ({ workspace, place }) => paths.map((path) => pathInWorkspace(workspace, place, path)),
      isDryRun: ask === undefined,
      ...{ isLinking: false, isOfEnded: false, order: null, agreed: null },
      ...{ isChecking: true, toleratesConfig: false },
      // S2: of these only `settle` stops what is left running.
      stops: does.kind === "settle" ? "dead-sessions" : null,
    },
  );
  return settleReceipt(ended);
}

function settleReceipt(ended: EndedSettle): WorkspaceReceipt {
  if (ended.kind === "signal") throw new RefloatError("E_INTERNAL", { why: "a review nobody was shown" });
  const { conflicts, commit } = ended.settled;
  return {
    kind: ended.kind,
    plan: settlePlan(ended),
    conflicts: conflicts.map(({ path, group }) => ({ ...pathJson(path), group })),
    commit,
  };
}

const settlePlan = ({ found, settled: { outcome, acts } }: PlannedSettle): WorkspacePlan => ({
  id: outcome.kind === "done" ? outcome.plan : null,
  session: found.session.isImplied ? null : found.session.id,
  acts: acts.map(({ group, act, why }) => ({
    group: group.id,
    act,
    ...pathsJson(group.changes.map(({ change }) => change.path)),
    ...(why === null ? {} : { why }),
  })),
});

const actHow = ({ ask, onProgress }: ActOptions): ActHow => ({
  isDryRun: ask === undefined,
  mayAct: ask !== undefined,
  ask: (planned) => answer(ask, actPlan(planned)),
  ...quietFace(onProgress),
});

function actPlan({ compiled, outcome }: ShownAct): WorkspacePlan {
  const groups = new Map<string, PathName[]>();
  for (const { path, group } of outcome.paths) groups.set(group, [...(groups.get(group) ?? []), path]);
  return {
    id: outcome.kind === "done" ? outcome.plan : null,
    session: compiled.draft.session ?? null,
    acts: [...groups].map(([group, paths]) => ({ group, act: compiled.word, ...pathsJson(paths) })),
  };
}

interface ShownAct extends Pick<PlannedAct, "compiled"> {
  readonly outcome: Exclude<ActOutcome, { kind: "refused" }>;
}

function actReceipt(ended: EndedAct): WorkspaceReceipt {
  if (ended.kind === "refused") throw ended.error;
  const { compiled, outcome } = ended;
  const all = [...(compiled.stuck ?? []), ...outcome.conflicts];
  return {
    kind: ended.kind,
    plan: actPlan({ compiled, outcome }),
    conflicts: all.map(({ path, group }) => ({ ...pathJson(path), group })),
    commit: ended.kind === "done" ? ended.commit : null,
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
      const removed = { id: null, session: null, acts: [] };
      const ask = () => answer(options.ask, removed);
      const { kind } = await undoRemoval(at, meant, { isDryRun: how.isDryRun, ask });
      return [{ kind, plan: removed, conflicts: [], commit: null }];
    }
    default:
      return meant satisfies never;
  }
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
  { paths = [], ...options }: ActOptions & { readonly paths?: readonly string[] },
): Promise<WorkspaceReceipt> {
  const ended = await restore(at, actHow(options), {
    of,
    paths: ({ workspace, place }) => paths.map((path) => pathInWorkspace(workspace, place, path)),
    to: null,
  });
  if (ended.kind === "copied") throw new RefloatError("E_INTERNAL", { why: "a copy nobody asked for" });
  return actReceipt(ended.act);
}
