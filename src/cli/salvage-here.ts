/** What the session somebody means left, with everything it takes to look: the same for every command that settles. */
import type { RefloatStore } from "../library/open-store.ts";
import { type Salvage, salvage } from "../salvage/salvage.ts";
import { readVerdicts } from "../salvage/verdict-records.ts";
import type { SessionRow } from "../store/driver.ts";
import type { ChosenSession } from "./choose-session.ts";
import type { Context } from "./context.ts";
import { leftoversHere } from "./leftovers-here.ts";
import { type ProgressBar, progressBar } from "./progress-bar.ts";
import type { Here } from "./workspace-here.ts";

export interface SalvageHere {
  readonly store: RefloatStore | null;
  readonly here: Here;
  readonly rows: readonly SessionRow[];
  /** Null: an implied session. */
  readonly row: SessionRow | null;
  readonly found: Salvage;
}

export async function salvageHere(context: Context, session: ChosenSession): Promise<SalvageHere> {
  const { store, here, rows, chosen } = session;
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
      leftovers: await leftoversHere(session),
      overrides: await readVerdicts(store?.raw ?? null, here.workspace),
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
