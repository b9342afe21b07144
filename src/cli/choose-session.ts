/** The session somebody means among those of the workspace, wherever in it he stands. */
import type { RefloatStore } from "../library/open-store.ts";
import type { SessionSummary } from "../session/describe.ts";
import type { SessionRow } from "../store/driver.ts";
import { isWorkflowSession } from "../workflow/claim-ids.ts";
import type { Context } from "./context.ts";
import { resolveSession } from "./resolve-session.ts";
import { type Here, sessionsHere, workspaceHere } from "./workspace-here.ts";

export interface ChosenSession {
  readonly store: RefloatStore | null;
  readonly here: Here;
  readonly rows: readonly SessionRow[];
  readonly chosen: { readonly row: SessionRow; readonly summary: SessionSummary } | null;
}

/** Typed: that one. Left out: the newest unsettled one of this workspace, else the newest, else an implied one. */
export async function chooseSession(context: Context, typed: string | null): Promise<ChosenSession> {
  const store = await context.findStore();
  const here = await workspaceHere(context, store);
  const rows = store ? (await sessionsHere(store, here)).filter(({ id }) => !isWorkflowSession(id)) : [];
  if (typed !== null) {
    const { row } = await resolveSession(context, typed);
    const [summary] = store ? await store.describe([row]) : [];
    return { store, here, rows, chosen: summary ? { row, summary } : null };
  }
  const newestFirst = store && rows.length > 0 ? await store.describe(rows) : [];
  const summary = newestFirst.find(({ unsettled }) => unsettled) ?? newestFirst[0];
  const row = rows.find(({ id }) => id === summary?.id);
  return { store, here, rows, chosen: summary && row ? { row, summary } : null };
}
