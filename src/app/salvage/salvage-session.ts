/** What the session somebody means left (salvage-of.ts), with what is told meanwhile: how far it is, and what becomes of his check. */

import { keepHeapSmall } from "../../platform/own-process.ts";
import type { ToldSalvage } from "../../salvage/judging/salvage.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import type { OnUnknownKey } from "../../text/read-config-text.ts";
import { judgedSession } from "../../workspace/trust/judged-session.ts";
import type { AppPlace } from "../place/app-place.ts";
import type { WorkspaceHere } from "../place/workspace-here.ts";
import type { ChosenSession } from "../sessions/choose-session.ts";
import type { RefloatStore } from "../store/open-store.ts";
import { type Tell, tellOnce } from "../telling/news.ts";
import { type JudgedWork, type RunsCheck, salvageOf } from "./salvage-of.ts";

export interface SalvagedSession extends JudgedWork {
  readonly store: RefloatStore | null;
  readonly here: WorkspaceHere;
  readonly rows: readonly SessionRow[];
  /** Null: an implied session. */
  readonly row: SessionRow | null;
}

export interface SalvageSessionOptions {
  /** The user's check, typed by him; the config's is run where he gave the very same text before (T2). */
  readonly verify?: string | null;
  /** False: the check is not run; what its last run said of this very content counts (S7). */
  readonly isChecking?: boolean;
  /** The check is run only where its last run says nothing of this very content. */
  readonly isUnlessKept?: boolean;
  /** His word that the check may write into his dependencies. */
  readonly isLinking?: boolean;
  /** What ended operations left is judged though the session lives. */
  readonly isOfEnded?: boolean;
  /** Groups that are others' alone are shown to nobody. */
  readonly isOwnOnly?: boolean;
  /** True: a config that cannot be read makes everything unknown, and stops nobody. */
  readonly toleratesConfig?: boolean;
  /** Of who looks at several sessions and says it once. */
  readonly onUnknownKey?: OnUnknownKey;
  /** Shows what is known before the judging. */
  readonly onTold?: (told: ToldSalvage) => Promise<void>;
}

/** Who asked for it, and waits. */
export interface SalvageFace {
  readonly tell: Tell;
  readonly progress: { readonly onProgress: (done: number, total: number) => void; end(): void };
  /** A check takes minutes: how it is stopped. */
  readonly untilStopped: RunsCheck["untilStopped"];
}

/** From here on the time of collecting garbage more often is worth the memory. */
const MANY_CHANGES = 2000;

export async function salvageSession(
  at: AppPlace,
  session: ChosenSession,
  options: SalvageSessionOptions,
  face: SalvageFace,
): Promise<SalvagedSession> {
  const { here, rows, chosen } = session;
  const { workspace, env } = here;
  const { tell, progress } = face;
  const { verify = null, isChecking = true } = options;
  const store = session.store ?? (await storeForTyped(at, session, verify));
  const row = chosen?.row ?? null;
  const of = { store, workspace, rows, row, summary: chosen?.summary ?? null, env };
  const told = tellOnce(tell);
  try {
    const judged = await salvageOf(
      { ...of, clock: at.clock, home: await at.home() },
      {
        check: isChecking ? checkOf(face, options) : null,
        onUnknownKey: options.onUnknownKey ?? ((key) => told({ kind: "unknown-key", key })),
        ...(options.isOfEnded ? { isOfEnded: true } : {}),
        ...(options.isOwnOnly ? { isOwnOnly: true } : {}),
        ...(options.toleratesConfig ? { toleratesConfig: true } : {}),
        onTold: async (known) => {
          progress.end();
          await options.onTold?.(known);
        },
        onProgress: (done, total) => {
          if (total >= MANY_CHANGES) keepHeapSmall();
          progress.onProgress(done, total);
        },
      },
    );
    if (verify !== null && judged.verified === null) tell({ kind: "check-without-commit" });
    return { store, here, rows, row, ...judged };
  } finally {
    progress.end();
  }
}

/** A check that is typed is trusted from then on, and what it says is remembered: where no store is yet, one is made. */
async function storeForTyped(
  at: AppPlace,
  { here: { workspace, env } }: ChosenSession,
  verify: string | null,
): Promise<RefloatStore | null> {
  const isTyped = verify !== null && workspace.kind === "git" && (await judgedSession(env, null)) === null;
  return isTyped ? at.openOrMakeStore() : null;
}

const checkOf = (
  { tell, untilStopped }: SalvageFace,
  { verify = null, isLinking = false, isUnlessKept = false }: SalvageSessionOptions,
): RunsCheck => ({
  typed: verify,
  isLinking,
  isUnlessKept,
  onStep: (label, done, total) => tell({ kind: "check-step", label, done, total }),
  onHeard: (said) => tell({ kind: "check-heard", said }),
  onRan: (outcome) => tell({ kind: "check-ran", outcome }),
  onUntrusted: (command) => tell({ kind: "check-untrusted", command }),
  untilStopped,
});
