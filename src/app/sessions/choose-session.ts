/** The session somebody means, with the workspace it worked in: the one he stands in, or, of one he names, its own. */

import type { SessionRow } from "../../store/contract/driver.ts";
import { workspaceIn } from "../../store/contract/session-facts.ts";
import { usersSessions } from "../../workflow/own-journal.ts";
import { sessionsWithSay } from "../../workspace/sessions/workspace-sessions.ts";
import { hearAgents } from "../agents/hear-agents.ts";
import type { AppPlace } from "../place/app-place.ts";
import { scopeOf } from "../place/scope.ts";
import { sessionsHere, type WorkspaceHere, workspaceAt, workspaceHere } from "../place/workspace-here.ts";
import type { RefloatStore } from "../store/open-store.ts";
import { type DescribedSession, findSession, newestAmong } from "./find-session.ts";
import { sessionTree } from "./session-tree.ts";

export interface ChosenSession {
  readonly store: RefloatStore | null;
  readonly here: WorkspaceHere;
  /** Those that have a say in whose a change is. */
  readonly rows: readonly SessionRow[];
  readonly chosen: DescribedSession | null;
}

/** Typed: that one. Left out: the newest unsettled one of this workspace, else the newest, else an implied one. */
export async function chooseSession(at: AppPlace, typed: string | null): Promise<ChosenSession> {
  await hearAgents(at);
  const store = await at.findStore();
  if (typed !== null) {
    const { row } = await findSession(at, typed);
    const here = (await workspaceOf(at, store, row)) ?? (await workspaceHere(at, store));
    const rows = await rowsHere(store, here, row);
    return { store, here, rows, chosen: store && (await newestAmong(store, [row], at)) };
  }
  const here = await workspaceHere(at, store);
  const rows = await rowsHere(store, here);
  const chosen = store && (await newestAmong(store, rows, at));
  // What is unsettled is never at rest. Where nothing is, the newest may be.
  if (!store || chosen?.summary.unsettled) return { store, here, rows, chosen };
  const newest = await newestAmong(store, usersSessions(await sessionsHere(store, here)), at);
  return { store, here, rows: newest ? await rowsHere(store, here, newest.row) : rows, chosen: newest };
}

/** With those begun where the named one was: a folder of the same workspace. */
async function rowsHere(
  store: RefloatStore | null,
  { workspace, place }: WorkspaceHere,
  named: SessionRow | null = null,
): Promise<SessionRow[]> {
  const places = [workspace.root, place, ...(named ? [workspaceIn(named)].filter(Boolean) : [])];
  return store ? usersSessions(await sessionsWithSay(store.raw, places, named)) : [];
}

/** What it left lies where it worked, or is held. Null: it worked nowhere. */
async function workspaceOf(
  at: AppPlace,
  store: RefloatStore | null,
  row: SessionRow,
): Promise<WorkspaceHere | null> {
  const found = await sessionTree(row, at.place(), (place) => workspaceAt(at, store, place));
  if (!found) return null;
  // In the same one, paths are typed from where he stands.
  const isHere = scopeOf(at.place(), "here").workspace === found.workspace.root;
  return isHere ? workspaceHere(at, store) : found;
}

/** As if somebody stood where the session's work is looked at: for what is done to that tree, and not to the session. */
export async function standingAt(at: AppPlace, typed: string): Promise<AppPlace> {
  const { here } = await chooseSession(at, typed);
  return { ...at, place: () => here.workspace.root };
}
