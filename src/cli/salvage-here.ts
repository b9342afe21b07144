/** What the session somebody means left, with everything it takes to look: the same for every command that settles. */
import { createHash } from "node:crypto";
import type { RefloatStore } from "../library/open-store.ts";
import type { RefloatConfig } from "../model/config.ts";
import { RefloatError } from "../model/errors.ts";
import { keepHeapSmall } from "../platform/heap-growth.ts";
import { rulesOf } from "../salvage/judging-rules.ts";
import { openKeptAnalysis } from "../salvage/kept-analysis.ts";
import { type Salvage, salvage, type ToldSalvage } from "../salvage/salvage.ts";
import { readVerdicts } from "../salvage/verdict-records.ts";
import { withVerify } from "../salvage/verified-salvage.ts";
import type { Verified } from "../salvage/verify.ts";
import type { SessionRow } from "../store/driver.ts";
import type { OnUnknownKey } from "../text/read-config-text.ts";
import { shellWord } from "../text/shell-word.ts";
import { judgedSession } from "../workspace/judged-session.ts";
import { judgingConfig } from "../workspace/judging-config.ts";
import { isTrusted, recordTrust } from "../workspace/trust.ts";
import type { ChosenSession } from "./choose-session.ts";
import type { Context } from "./context.ts";
import { lastWordsOf } from "./last-words.ts";
import { leftoversHere } from "./leftovers-here.ts";
import { homeOf } from "./store-home.ts";
import { tellsUnknownKeys } from "./tells-unknown-keys.ts";
import { untilSignalled } from "./until-signalled.ts";
import { watched } from "./watched.ts";
import { oneLine } from "./words.ts";
import type { Here } from "./workspace-here.ts";

export interface SalvageHere {
  readonly store: RefloatStore | null;
  readonly here: Here;
  readonly rows: readonly SessionRow[];
  /** Null: an implied session. */
  readonly row: SessionRow | null;
  readonly found: Salvage;
  readonly config: RefloatConfig;
  /** What the user's check said; null: it was not run. */
  readonly verified: Verified | null;
}

export interface SalvageOptions {
  /** The user's check, typed by him; the config's is run where he gave the very same text before (T2). */
  readonly verify?: string | null;
  /** False: the check is not run, whatever the configuration says. */
  readonly isChecking?: boolean;
  /** His word that the check may write into his dependencies. */
  readonly isLinking?: boolean;
  /** What ended operations left is judged though the session lives. */
  readonly isOfEnded?: boolean;
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
  options: SalvageOptions = {},
): Promise<SalvageHere> {
  const { store, here, rows, chosen } = session;
  const bar = watched(context);
  const row = chosen?.row ?? null;
  const raw = store?.raw ?? null;
  const { workspace, env } = here;
  const kept = store ? openKeptAnalysis(await homeOf(context)) : null;
  try {
    const { onUnknownKey = tellsUnknownKeys(context) } = options;
    const config = await judgingConfig(raw, row, workspace, env, onUnknownKey);
    const { pathRules, ignore } = await rulesOf(config, workspace, options.verify ?? null);
    const found = await salvage({
      store: raw,
      workspace,
      rows,
      row,
      ...(chosen ? { summary: chosen.summary } : {}),
      env,
      clock: context.clock,
      leftovers: await leftoversHere(context, session),
      unkeptOutput: store && row ? await lastWordsOf(store, row, await homeOf(context)) : null,
      pathRules,
      ignore,
      overrides: await readVerdicts(raw, workspace),
      ...(options.isOfEnded ? { isOfEnded: true } : {}),
      ...(kept ? { cache: kept } : {}),
      onTold: async (told) => {
        bar.end();
        await options.onTold?.(told);
      },
      onProgress: (done, total) => {
        if (total >= MANY_CHANGES) keepHeapSmall();
        bar.onProgress(done, total);
      },
    });
    kept?.close();
    bar.end();
    const common = { store, here, rows, row, config };
    const { verify = null, isChecking = true } = options;
    const command = isChecking ? await checkToRun(context, session, verify, config.verify ?? null) : null;
    if (command === null) return { ...common, found, verified: null };
    const onStep = (label: string, done: number, total: number): void =>
      context.out.narrate(`Checking ${label} (${done + 1} of ${total})`);
    const home = await homeOf(context);
    const isLinking = options.isLinking ?? false;
    const verifying = { store: raw, workspace, env, home, command, isLinking, onStep };
    return { ...common, ...(await untilSignalled((stop) => withVerify(found, { ...verifying, stop }))) };
  } finally {
    kept?.close();
    bar.end();
  }
}

/** T2: a check is run when the user typed it outside any session's mark; that is remembered, and void when its text changes. */
async function checkToRun(
  context: Context,
  { store, here: { workspace, env } }: ChosenSession,
  typed: string | null,
  configured: string | null,
): Promise<string | null> {
  if (workspace.kind === "folder") return null;
  const marked = await judgedSession(env, store?.raw ?? null);
  if (typed !== null) {
    if (marked !== null)
      throw new RefloatError("E_UNDER_MARK", { session: marked, what: "choose the check" });
    if (store) await recordTrust(store.raw, workspace.location, checkDigest(typed), { trusted: true });
    return typed;
  }
  if (configured === null || marked !== null) return null;
  if (store && (await isTrusted(store.raw, workspace.location, checkDigest(configured)))) return configured;
  context.out.narrate(
    `The configured check was not run, for you never gave it yourself. This runs it, and from then on it is trusted:\n  refloat inspect --verify ${shellWord(oneLine(configured))}`,
  );
  return null;
}

const checkDigest = (text: string): string => createHash("sha256").update(`verify\0${text}`).digest("hex");
