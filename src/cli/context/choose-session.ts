/** The session somebody means, with the workspace it worked in: the one he stands in, or, of one he names, its own. */

import { sessionTree } from "../../app/sessions/session-tree.ts";
import type { RefloatStore } from "../../app/store/open-store.ts";
import type { SessionSummary } from "../../session/describe.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import { isWorkflowSession } from "../../workflow/claim-ids.ts";
import { sessionsOf } from "../../workspace/sessions/workspace-sessions.ts";
import type { Context } from "./context.ts";
import { scopeOf } from "./repository-scope.ts";
import { resolveSession } from "./resolve-session.ts";
import { type WorkspaceHere, workspaceAt, workspaceHere } from "./workspace-here.ts";

export interface ChosenSession {
  readonly store: RefloatStore | null;
  readonly here: WorkspaceHere;
  readonly rows: readonly SessionRow[];
  readonly chosen: { readonly row: SessionRow; readonly summary: SessionSummary } | null;
}

/** Typed: that one. Left out: the newest unsettled one of this workspace, else the newest, else an implied one. */
export async function chooseSession(context: Context, typed: string | null): Promise<ChosenSession> {
  const store = await context.findStore();
  if (typed !== null) {
    const { row } = await resolveSession(context, typed);
    const here = (await workspaceOf(context, store, row)) ?? (await workspaceHere(context, store));
    const rows = await rowsHere(store, here, [String(row.facts.workspace ?? "")].filter(Boolean));
    const [summary] = store ? await store.describe([row]) : [];
    return { store, here, rows, chosen: summary ? { row, summary } : null };
  }
  const here = await workspaceHere(context, store);
  const rows = await rowsHere(store, here);
  const newestFirst = store && rows.length > 0 ? await store.describe(rows) : [];
  const summary = newestFirst.find(({ unsettled }) => unsettled) ?? newestFirst[0];
  const row = rows.find(({ id }) => id === summary?.id);
  return { store, here, rows, chosen: summary && row ? { row, summary } : null };
}

/** With those begun where the named one was: a folder of the same workspace. */
async function rowsHere(
  store: RefloatStore | null,
  { workspace, place }: WorkspaceHere,
  named: readonly string[] = [],
): Promise<SessionRow[]> {
  if (!store) return [];
  const rows = await sessionsOf(store.raw, [workspace.root, place, ...named]);
  return rows.filter(({ id }) => !isWorkflowSession(id));
}

/** What it left lies where it worked, or is held. Null: it worked nowhere. */
async function workspaceOf(
  context: Context,
  store: RefloatStore | null,
  row: SessionRow,
): Promise<WorkspaceHere | null> {
  const found = await sessionTree(row, context.place(), (place) => workspaceAt(context, store, place));
  if (!found) return null;
  // In the same one, paths are typed from where he stands.
  const isHere = scopeOf(context.place(), "here").workspace === found.workspace.root;
  return isHere ? workspaceHere(context, store) : found;
}
