/**
 * S7: the one place where what a session left gets its verdicts: for the screens, the brief, a loop and every command that
 * settles. The same config, rules, overrides, leftovers and last words, and the user's check: run, or what its last run
 * said of this very content, or "not checked". Nobody else calls `salvage`; a test sees to it.
 */

import { isEmptyCheck, type RefloatConfig } from "../../model/config.ts";
import { RefloatError } from "../../model/errors.ts";
import type { Clock } from "../../platform/clock.ts";
import { openKeptAnalysis } from "../../salvage/analysis/kept-analysis.ts";
import { type CheckedSalvage, runOn, withoutRunning } from "../../salvage/check/checked-salvage.ts";
import { keptCheck } from "../../salvage/check/kept-check.ts";
import { rulesOf } from "../../salvage/judging/judging-rules.ts";
import { type OwnersView, ownersIn, withOwnersVerdicts } from "../../salvage/judging/owners-verdicts.ts";
import { salvage, type ToldSalvage } from "../../salvage/judging/salvage.ts";
import { readVerdicts } from "../../salvage/judging/verdict-records.ts";
import { impliedSession } from "../../salvage/story/session-story.ts";
import type { SessionSummary } from "../../session/describe.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import { shellLineWord } from "../../text/escape.ts";
import type { OnUnknownKey } from "../../text/read-config-text.ts";
import type { CheckOutcome } from "../../triage/facts/known/triage-facts.ts";
import type { Workspace } from "../../workspace/opening/workspace.ts";
import { judgedSession } from "../../workspace/trust/judged-session.ts";
import { judgingConfig, nothingSafe } from "../../workspace/trust/judging-config.ts";
import { isTextTrusted, rememberTyped, typedCheck } from "../../workspace/trust/trust.ts";
import { goesOn } from "../sessions/goes-on.ts";
import type { RefloatStore } from "../store/open-store.ts";
import { lastWordsOf } from "./last-words.ts";
import { leftoversOf } from "./leftovers-of.ts";

/** Other sessions that are asked for what they say of their own work in one tree: each is a judging of its own (T5). */
const MAX_JUDGED_OWNERS = 8;

/** Whose work, and where it lies. */
export interface WorkOf {
  readonly store: RefloatStore | null;
  readonly workspace: Workspace;
  /** The sessions of the workspace. */
  readonly rows: readonly SessionRow[];
  /** Null: an implied session. */
  readonly row: SessionRow | null;
  readonly summary: SessionSummary | null;
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  /** The store's folder: run folders, scratch trees, what was found out before. */
  readonly home: string;
}

/** A run of the check takes minutes: whoever orders it says how it is stopped and what is said meanwhile. */
export interface RunsCheck {
  /** Typed by the user; null: the configured one, where it is trusted, else the one that he typed last. */
  readonly typed: string | null;
  /** His word that it may write into his dependencies. */
  readonly isLinking: boolean;
  /** What its last run said of this very content is as good as another run (S7). */
  readonly isUnlessKept: boolean;
  readonly onStep: (label: string, done: number, total: number) => void;
  /** What it says while it runs, and what came of each run. */
  readonly onHeard?: (piece: Buffer) => void;
  readonly onRan?: (outcome: CheckOutcome) => void;
  /** A configured check that nobody trusted is not run. */
  readonly onUntrusted: (command: string) => void;
  readonly untilStopped: <Result>(work: (stop: AbortSignal) => Promise<Result>) => Promise<Result>;
}

export interface SalvageHow {
  /** Null: it is not run; what its last run said of this very content counts. */
  readonly check: RunsCheck | null;
  /** True: a config that cannot be read makes everything unknown, and what was left is told all the same. */
  readonly toleratesConfig?: boolean;
  /** What ended operations left is judged though the session lives. */
  readonly isOfEnded?: boolean;
  /** Groups that are others' alone are shown to nobody: they are not judged by their owners. */
  readonly isOwnOnly?: boolean;
  readonly onUnknownKey?: OnUnknownKey;
  readonly onTold?: (told: ToldSalvage) => Promise<void>;
  readonly onProgress?: (done: number, total: number) => void;
}

export interface JudgedWork extends CheckedSalvage {
  /** What it was judged by. */
  readonly config: RefloatConfig;
}

export async function salvageOf(work: WorkOf, how: SalvageHow): Promise<JudgedWork> {
  const judged = await judgedAlone(work, how);
  const { found } = judged;
  const owners = ownersIn(found.groups, { isMixedOnly: how.isOwnOnly === true });
  if (owners.length === 0) return judged;
  const views = await ownersViews(work, owners);
  return { ...judged, found: { ...found, groups: withOwnersVerdicts(found.groups, views) } };
}

/** What each of them says of its own work, where this session's look finds some of it (S7). None of them runs a check for that. */
async function ownersViews(
  work: WorkOf,
  owners: readonly string[],
): Promise<ReadonlyMap<string, OwnersView>> {
  const views = new Map<string, OwnersView>();
  for (const [at, session] of owners.entries())
    views.set(session, at < MAX_JUDGED_OWNERS ? await ownersView(work, session) : notJudged(session));
  return views;
}

const notJudged = (session: string): OwnersView => ({
  kind: "not-judged",
  why: `refloat inspect ${shellLineWord(session)}`,
});

async function ownersView(work: WorkOf, session: string): Promise<OwnersView> {
  const row = work.rows.find(({ id }) => id === session);
  if (!work.store || !row) return notJudged(session);
  const [summary = null] = await work.store.describe([row]);
  try {
    const { found } = await judgedAlone({ ...work, row, summary }, { check: null, toleratesConfig: true });
    return { kind: "judged", groups: found.groups };
  } catch (thrown) {
    // Its trouble (a tree that is gone, say) is not this session's.
    if (thrown instanceof RefloatError) return { kind: "not-judged", why: thrown.message };
    throw thrown;
  }
}

async function judgedAlone(work: WorkOf, how: SalvageHow): Promise<JudgedWork> {
  const { store, workspace, rows, row, summary, env, clock, home } = work;
  const { onTold, onProgress } = how;
  const raw = store?.raw ?? null;
  const texts = store ? openKeptAnalysis(home) : null;
  try {
    const config = await configFor(work, how);
    const { runs, trusted } = await checkFor(work, how.check, config.verify ?? null);
    const last = keptCheck(texts, row?.id ?? impliedSession(workspace.root).id);
    const found = await salvage({
      ...{ store: raw, workspace, rows, row, env, clock },
      ...(summary ? { summary } : {}),
      leftovers: store && row ? await leftoversOf(store, row, workspace.root, home) : [],
      goesOn:
        store !== null &&
        row !== null &&
        summary !== null &&
        (await goesOn(store, row, summary, async () => rows)),
      unkeptOutput: store && row ? await lastWordsOf(store, row, home) : null,
      ...(await rulesOf(config, workspace, trusted)),
      overrides: await readVerdicts(raw, workspace),
      hasCheck: trusted !== null,
      ...(how.isOfEnded ? { isOfEnded: true } : {}),
      ...(texts ? { cache: texts } : {}),
      ...(onTold ? { onTold } : {}),
      ...(onProgress ? { onProgress } : {}),
    });
    const isKnown = runs?.isUnlessKept === true && last?.command === trusted && last?.saidOf(found) != null;
    if (!runs || trusted === null || isKnown)
      return { config, ...(await withoutRunning(found, trusted, last)) };
    texts?.close();
    const verifying = { store: raw, workspace, env, home, command: trusted };
    const { isLinking, onStep, onHeard, onRan, untilStopped } = runs;
    const told = { isLinking, onStep, onHeard, onRan };
    const checked = await untilStopped((stop) => runOn(found, { ...verifying, ...told, stop }));
    return { config, ...checked };
  } finally {
    texts?.close();
  }
}

async function configFor(
  { store, row, workspace, env }: WorkOf,
  { onUnknownKey, toleratesConfig }: SalvageHow,
): Promise<RefloatConfig> {
  const read = judgingConfig(store?.raw ?? null, row, workspace, env, onUnknownKey);
  return toleratesConfig === true ? read.catch(nothingSafe) : read;
}

/** Of what somebody typed, before anything is looked at: an empty one would call everything good. */
export function assertCheck(typed: string | null): void {
  if (typed !== null && isEmptyCheck(typed))
    throw new RefloatError("E_USAGE", { why: "The check is empty." });
}

interface CheckFor {
  /** Null: it is not run now. */
  readonly runs: RunsCheck | null;
  /** The user's check here; null: none, or none that he trusts. */
  readonly trusted: string | null;
}

/**
 * T2: a check is run when the user typed it outside any session's mark; that is remembered, and void when its text changes.
 * It runs the repository's own code: one of the user's own configuration is trusted for each repository, too. Where none that
 * he trusts is configured, the one that he typed last is his check of this repository (S7): what it failed does not become
 * safe by a commit, by a lost cache, nor by a configuration that names another.
 */
async function checkFor(
  { store, workspace, env }: WorkOf,
  runs: RunsCheck | null,
  configured: string | null,
): Promise<CheckFor> {
  if (workspace.kind === "folder") return { runs: null, trusted: null };
  const raw = store?.raw ?? null;
  const typed = runs?.typed ?? null;
  const marked = await judgedSession(env, raw);
  if (typed !== null) {
    if (marked !== null)
      throw new RefloatError("E_UNDER_MARK", { session: marked, what: "choose the check" });
    if (raw) await rememberTyped(raw, workspace, typed);
    return { runs, trusted: typed };
  }
  const isTrusted = configured !== null && (await isTextTrusted(raw, workspace, "verify", configured));
  if (configured !== null && !isTrusted && marked === null) runs?.onUntrusted(configured);
  const trusted = isTrusted ? configured : await typedCheck(raw, workspace);
  return { runs: marked === null ? runs : null, trusted };
}
