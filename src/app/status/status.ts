/**
 * Where things stand in the whole repository (DESIGN 10). Reads only; a store is made only where an agent left something to keep in it. Where nothing is unsettled it needs
 * a list of rows and what is open in them, and nothing else is loaded; else what was left is judged.
 */
import type { SessionSummary } from "../../session/describe.ts";
import { hearAgents } from "../agents/hear-agents.ts";
import type { AppPlace } from "../place/app-place.ts";
import type { RepositoryScope } from "../place/scope.ts";
import type { SalvageFace } from "../salvage/salvage-session.ts";
import { listSummaries } from "../sessions/sessions-in-scope.ts";
import type { StatusGroups } from "./status-groups.ts";
import { type TreeHere, treeHere } from "./tree-here.ts";

export type StatusCounts = Readonly<
  Record<"live" | "interrupted" | "suspended" | "unsettled" | "finished" | "idle", number>
>;

export interface Status extends StatusGroups {
  /** Newest first. */
  readonly sessions: readonly SessionSummary[];
  readonly counts: StatusCounts;
  /** Null: every workspace is meant, or git does not tell. */
  readonly tree: TreeHere | null;
  /** False: nobody ever made one. */
  readonly hasStore: boolean;
  readonly isAttentionWanted: boolean;
}

export async function status(at: AppPlace, scope: RepositoryScope, face: SalvageFace): Promise<Status> {
  await hearAgents(at);
  const store = await at.findStore();
  const sessions = store ? await listSummaries(at, store, scope) : [];
  const counts = countsOf(sessions);
  const groups = await groupsOf(at, sessions, face);
  const tree = scope.kind === "all" ? null : await treeHere(at);
  const isAttentionWanted = counts.interrupted + counts.suspended + counts.unsettled > 0;
  return { sessions, counts, ...groups, tree, hasStore: store !== null, isAttentionWanted };
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

function countsOf(sessions: readonly SessionSummary[]): StatusCounts {
  const of = (state: SessionSummary["state"]): number => sessions.filter((one) => one.state === state).length;
  return {
    live: of("live"),
    interrupted: of("interrupted"),
    suspended: of("suspended"),
    unsettled: sessions.filter(({ unsettled }) => unsettled).length,
    finished: of("finished"),
    idle: of("idle"),
  };
}
