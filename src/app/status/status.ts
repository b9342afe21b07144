/**
 * Where things stand in the whole repository (DESIGN 10). Reads only; a store is made only where an agent left something to keep in it. Where nothing is unsettled it needs
 * a list of rows and what is open in them, and nothing else is loaded; else what was left is judged.
 */
import { existsSync } from "node:fs";
import { recorderPath } from "../../agents/install/commands.ts";
import type { SessionSummary } from "../../session/describe.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import { saidIn } from "../inbox/said-in.ts";
import { type AppPlace, lookingOnce } from "../place/app-place.ts";
import type { RepositoryScope } from "../place/scope.ts";
import type { SalvageFace } from "../salvage/salvage-session.ts";
import { goesOn } from "../sessions/goes-on.ts";
import { listSessions, type SessionList } from "../sessions/sessions-in-scope.ts";
import { sessionRows } from "../store/kept-rows.ts";
import type { CutOff } from "./cut-off.ts";
import type { StatusGroups } from "./status-groups.ts";
import { type TreeHere, treeHere } from "./tree-here.ts";

export type StatusCounts = Readonly<
  Record<"live" | "interrupted" | "suspended" | "unsettled" | "finished" | "idle", number>
>;

type StepOnSession = "inspect" | "settle" | "show" | "resume" | "lift" | "stop" | "follow";

export type NextStep =
  | { readonly kind: StepOnSession; readonly session: string }
  | { readonly kind: "inspect-tree" | "list-parked" };

export interface Status extends StatusGroups {
  /** Newest first. Where only what is awake is listed: without those that are over and left nothing, which are counted. */
  readonly sessions: readonly SessionSummary[];
  /** What their ids are told apart from where they are shortened. */
  readonly ids: readonly string[];
  readonly counts: StatusCounts;
  /** Null: every workspace is meant, or git does not tell. */
  readonly tree: TreeHere | null;
  /** What the newest that was cut off was at; null: none was. */
  readonly cutOff: CutOff | null;
  /** What may be done about it, the most pressing first. */
  readonly next: readonly NextStep[];
  /** `init` was here: agents call us. */
  readonly isSetUp: boolean;
  /** False: nobody ever made one. */
  readonly hasStore: boolean;
  readonly isAttentionWanted: boolean;
}

/** `isAwakeOnly`: for who shows no session that is over and left nothing, as the screen. */
export async function status(
  asked: AppPlace,
  scope: RepositoryScope,
  face: SalvageFace,
  { isAwakeOnly = false }: { readonly isAwakeOnly?: boolean } = {},
): Promise<Status> {
  const at = lookingOnce(asked);
  // Side by side: git is another process, and what it counts does not depend on who worked here.
  const [list, tree] = await Promise.all([
    listSessions(at, scope, { isAwakeOnly }),
    scope.kind === "all" ? null : treeHere(at),
  ]);
  const { store, sessions, ids, isAttentionWanted } = list;
  if (scope.workspace !== null)
    for (const { file, ...about } of await saidIn(store?.raw ?? null, scope.workspace))
      at.tell?.({ kind: "said-left", file, about });
  const counts = countsOf(list);
  const groups = await groupsOf(at, sessions, face);
  const next = nextSteps(list, tree, await resumedNext(list));
  const cutOff = await newestCutOff(list);
  return {
    sessions,
    ids,
    counts,
    ...groups,
    tree,
    cutOff,
    next,
    hasStore: store !== null,
    isSetUp: existsSync(recorderPath(await at.home())),
    isAttentionWanted,
  };
}

/** Of each kind the newest session. */
function nextSteps(
  { sessions, atRest, cutOff, liftable }: SessionList,
  tree: TreeHere | null,
  resumed: readonly SessionSummary[],
): readonly NextStep[] {
  const live = sessions.filter(({ state }) => state === "live");
  const of = ([first]: readonly SessionSummary[], ...kinds: readonly StepOnSession[]): NextStep[] =>
    first ? kinds.map((kind) => ({ kind, session: first.id })) : [];
  return [
    ...of(
      sessions.filter(({ state, unsettled }) => unsettled && state !== "live"),
      ...(["inspect", "settle"] as const),
    ),
    ...of(cutOff, "show"),
    ...of(resumed, "resume"),
    ...of(liftable, "lift"),
    ...of(
      live.filter(({ supervised }) => !supervised),
      "stop",
    ),
    ...of(
      live.filter(({ supervised }) => supervised),
      "follow",
    ),
    ...(sessions.length + atRest === 0 && (tree?.changed ?? 0) > 0
      ? [{ kind: "inspect-tree" as const }]
      : []),
    ...(tree && tree.parked.length > 0 ? [{ kind: "list-parked" as const }] : []),
  ];
}

/** The newest that was cut off, where `resume` would go on with it. */
async function resumedNext({ store, cutOff: [newest] }: SessionList): Promise<readonly SessionSummary[]> {
  const row = store && newest ? await store.raw.session(newest.id as SessionRow["id"]) : null;
  if (!store || !newest || !row) return [];
  const { workspace } = newest;
  const all = (): Promise<readonly SessionRow[]> =>
    sessionRows(store.raw, workspace === null ? {} : { workspace });
  return (await goesOn(store, row, newest, all)) ? [newest] : [];
}

/** Its journal is read only where there is one. */
async function newestCutOff({ store, cutOff: [newest] }: SessionList): Promise<CutOff | null> {
  if (!store || !newest) return null;
  const { cutOffOf } = await import("./cut-off.ts");
  return cutOffOf(store, newest);
}

/** The judge is loaded only where there is something to judge. */
async function groupsOf(
  at: AppPlace,
  sessions: readonly SessionSummary[],
  face: SalvageFace,
): Promise<StatusGroups> {
  if (!sessions.some(({ state, unsettled }) => unsettled && state !== "live"))
    return { groups: [], notJudged: [] };
  const { statusGroups } = await import("./status-groups.ts");
  return statusGroups(at, sessions, face);
}

function countsOf({ sessions, atRest }: SessionList): StatusCounts {
  const of = (state: SessionSummary["state"]): number => sessions.filter((one) => one.state === state).length;
  return {
    live: of("live"),
    interrupted: of("interrupted"),
    suspended: of("suspended"),
    unsettled: sessions.filter(({ unsettled }) => unsettled).length,
    finished: of("finished") + atRest,
    idle: of("idle"),
  };
}
