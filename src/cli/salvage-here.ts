/** What the session somebody means left, with everything it takes to look: the same for every command that settles. */
import type { RefloatStore } from "../library/open-store.ts";
import { type FoundLeftover, type Salvage, salvage } from "../salvage/salvage.ts";
import type { SessionSummary } from "../session/describe.ts";
import type { SessionRow } from "../store/driver.ts";
import { isWorkflowSession } from "../workflow/claim-ids.ts";
import type { Context } from "./context.ts";
import { type ProgressBar, progressBar } from "./progress-bar.ts";
import { resolveSession } from "./resolve-session.ts";
import { type Here, sessionsHere, workspaceHere } from "./workspace-here.ts";

export interface SalvageHere {
  readonly store: RefloatStore | null;
  readonly here: Here;
  readonly rows: readonly SessionRow[];
  /** Null: an implied session. */
  readonly row: SessionRow | null;
  readonly found: Salvage;
}

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

export async function salvageHere(
  context: Context,
  { store, here, rows, chosen }: ChosenSession,
  leftovers: readonly FoundLeftover[] = [],
): Promise<SalvageHere> {
  const bar = progress(context);
  try {
    const found = await salvage({
      store: store?.raw ?? null,
      workspace: here.workspace,
      rows,
      row: chosen?.row ?? null,
      ...(chosen ? { summary: chosen.summary } : {}),
      env: here.env,
      clock: context.clock,
      leftovers,
      onProgress: bar.onProgress,
    });
    return { store, here, rows, row: chosen?.row ?? null, found };
  } finally {
    bar.end();
  }
}

function progress(context: Context): { onProgress: (done: number, total: number) => void; end: () => void } {
  let bar: ProgressBar | null = null;
  return {
    onProgress: (done, total) => {
      bar ??= progressBar(total, { clock: context.clock, isQuiet: context.flags.isQuiet });
      bar.at(done);
    },
    end: () => bar?.end(),
  };
}
