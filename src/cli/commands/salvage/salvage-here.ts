/** What the session somebody means left (salvage-of.ts), for a command that somebody typed: a bar, and what is said of his check. */

import type { WorkspaceHere } from "../../../app/place/workspace-here.ts";
import { type JudgedWork, type RunsCheck, salvageOf } from "../../../app/salvage/salvage-of.ts";
import type { ChosenSession } from "../../../app/sessions/choose-session.ts";
import type { RefloatStore } from "../../../app/store/open-store.ts";
import { keepHeapSmall } from "../../../platform/own-process.ts";
import type { ToldSalvage } from "../../../salvage/judging/salvage.ts";
import type { SessionRow } from "../../../store/contract/driver.ts";
import type { OnUnknownKey } from "../../../text/read-config-text.ts";
import { judgedSession } from "../../../workspace/trust/judged-session.ts";
import type { Context } from "../../context/context.ts";
import { teller, tellsUnknownKeys } from "../../context/tell.ts";
import { untilSignalled } from "../../context/until-signalled.ts";
import { watched } from "../../context/watched.ts";

export interface SalvageHere extends JudgedWork {
  readonly store: RefloatStore | null;
  readonly here: WorkspaceHere;
  readonly rows: readonly SessionRow[];
  /** Null: an implied session. */
  readonly row: SessionRow | null;
}

export interface SalvageHereOptions {
  /** The user's check, typed by him; the config's is run where he gave the very same text before (T2). */
  readonly verify?: string | null;
  /** False: the check is not run; what its last run said of this very content counts (S7). */
  readonly isChecking?: boolean;
  /** His word that the check may write into his dependencies. */
  readonly isLinking?: boolean;
  /** What ended operations left is judged though the session lives. */
  readonly isOfEnded?: boolean;
  /** Groups that are others' alone are shown to nobody. */
  readonly isOwnOnly?: boolean;
  /** Of who looks at several sessions and says it once. */
  readonly onUnknownKey?: OnUnknownKey;
  /** Shows what is known before the judging. */
  readonly onTold?: (told: ToldSalvage) => Promise<void>;
}

/** From here on the time of collecting garbage more often is worth the memory. */
const MANY_CHANGES = 2000;

export async function salvageHere(
  context: Context,
  session: ChosenSession,
  options: SalvageHereOptions = {},
): Promise<SalvageHere> {
  const { here, rows, chosen } = session;
  const { workspace, env } = here;
  const bar = watched(context);
  const { verify = null, isChecking = true, isLinking = false } = options;
  // A check that is typed is trusted from then on, and what it says is remembered: where no store is yet, one is made.
  const isTyped =
    verify !== null &&
    workspace.kind === "git" &&
    (await judgedSession(env, session.store?.raw ?? null)) === null;
  const store = session.store ?? (isTyped ? await context.openOrMakeStore() : null);
  const row = chosen?.row ?? null;
  const of = { store, workspace, rows, row, summary: chosen?.summary ?? null, env };
  try {
    const judged = await salvageOf(
      { ...of, clock: context.clock, home: await context.home() },
      {
        check: isChecking ? checkOf(context, verify, isLinking) : null,
        onUnknownKey: options.onUnknownKey ?? tellsUnknownKeys(context),
        ...(options.isOfEnded ? { isOfEnded: true } : {}),
        ...(options.isOwnOnly ? { isOwnOnly: true } : {}),
        onTold: async (told) => {
          bar.end();
          await options.onTold?.(told);
        },
        onProgress: (done, total) => {
          if (total >= MANY_CHANGES) keepHeapSmall();
          bar.onProgress(done, total);
        },
      },
    );
    if (verify !== null && judged.verified === null) teller(context)({ kind: "check-without-commit" });
    return { store, here, rows, row, ...judged };
  } finally {
    bar.end();
  }
}

function checkOf(context: Context, typed: string | null, isLinking: boolean): RunsCheck {
  const tell = teller(context);
  return {
    typed,
    isLinking,
    onStep: (label, done, total) => tell({ kind: "check-step", label, done, total }),
    onUntrusted: (command) => tell({ kind: "check-untrusted", command }),
    untilStopped: untilSignalled,
  };
}
