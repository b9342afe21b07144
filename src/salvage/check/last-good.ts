/**
 * The newest capture of a session that passes the user's check, by halving: captures that were good are taken to come before
 * those that were not. Each is laid out in a scratch clone of its commit. A capture with gaps cannot be laid out and is
 * stepped over.
 */
import { RefloatError } from "../../model/errors.ts";
import type { SessionId } from "../../model/ids.ts";
import type { Environment } from "../../platform/places.ts";
import { readWholeContent } from "../../store/content-store.ts";
import type { Store } from "../../store/store.ts";
import { capturesOf } from "../../workspace/captures/captures.ts";
import type { TakenCapture } from "../../workspace/captures/take-capture.ts";
import type { Repository } from "../../workspace/git/repository.ts";
import { scratchClone } from "../../workspace/git/scratch-clone.ts";
import type { Workspace } from "../../workspace/opening/workspace.ts";
import { readingOf } from "../../workspace/tree/reading.ts";
import { inTrial } from "../../workspace/trust/judged-session.ts";
import { type Dependencies, planDependencies, withoutDependencies } from "./dependencies.ts";
import { lay, outcomeOf, runCheck } from "./run-check.ts";

export interface LastGoodOrder {
  readonly store: Store;
  readonly workspace: Workspace;
  readonly session: SessionId;
  readonly env: Environment;
  readonly home: string;
  readonly command: string;
  /** The user's word that the check may write into his dependencies. */
  readonly isLinking: boolean;
  readonly onStep?: (capture: string, tried: number) => void;
  /** Aborted: the check that runs is stopped, its scratch tree goes, and the reason is thrown. */
  readonly stop?: AbortSignal;
}

export interface LastGood {
  readonly good: TakenCapture | null;
  /** The one after it, which does not pass; null: the newest passes. */
  readonly bad: TakenCapture | null;
  readonly tried: number;
  readonly dependencies: Dependencies;
}

/** Captures looked at, the newest: halving takes ten runs of the check. */
const MAX_CAPTURES = 1000;

export async function findLastGood(order: LastGoodOrder): Promise<LastGood> {
  const { workspace, home, env, isLinking } = order;
  if (workspace.kind === "folder")
    throw new RefloatError("E_NO_GIT", {
      path: workspace.root,
      why: "there is no commit to check captures upon",
    });
  const repository = await workspace.repository();
  const captures = await wholeCaptures(order);
  const dependencies = await planDependencies(repository, { home, env, isLinking });
  let tried = 0;
  const halve = (given: Dependencies): Promise<HalvedRange> =>
    halved(captures, async (one) => {
      tried++;
      order.onStep?.(one.id, tried);
      return isGood(one, order, repository, given);
    });
  const found = await halve(dependencies);
  if (found.good || captures.length === 0 || dependencies.how === "none")
    return { ...found, tried, dependencies };
  // As in verify.ts: a check that installs its own fails where they are given.
  const without = withoutDependencies(dependencies);
  const again = await halve(without);
  return again.good ? { ...again, tried, dependencies: without } : { ...found, tried, dependencies };
}

type HalvedRange = Pick<LastGood, "good" | "bad">;

async function halved(
  captures: readonly TakenCapture[],
  passes: (one: TakenCapture) => Promise<boolean>,
): Promise<HalvedRange> {
  const newest = captures.at(-1);
  if (!newest) return { good: null, bad: null };
  if (await passes(newest)) return { good: newest, bad: null };
  let [good, bad] = [-1, captures.length - 1];
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2);
    if (await passes(captures[middle] as TakenCapture)) good = middle;
    else bad = middle;
  }
  return { good: captures[good] ?? null, bad: captures[bad] ?? null };
}

/** By status and without gaps, oldest first, each state once: a state seen twice passes twice. */
async function wholeCaptures({ store, session }: LastGoodOrder): Promise<TakenCapture[]> {
  const found: TakenCapture[] = [];
  let last = "";
  for await (const taken of capturesOf(store, session)) {
    const { how, partial, head, entries } = taken.capture;
    const key = JSON.stringify([head?.id, entries.map(({ path, state }) => [path, state])]);
    if (how !== "status" || partial || !head?.id || key === last) continue;
    found.push(taken);
    last = key;
    if (found.length > MAX_CAPTURES) found.shift();
  }
  return found;
}

async function isGood(
  { capture }: TakenCapture,
  { store, session, env, home, command, stop }: LastGoodOrder,
  repository: Repository,
  dependencies: Dependencies,
): Promise<boolean> {
  const { head, entries } = readingOf(capture);
  if (!head?.id) return false;
  const clone = await scratchClone(repository, { home, env, commit: head.id, branch: head.branch });
  try {
    for (const { path, state } of entries) {
      const hash = state?.hash ?? null;
      const bytes = hash === null ? null : await readWholeContent(store.driver, hash);
      lay(clone.root, { path, state: state?.kind === "directory" ? null : state, bytes });
    }
    const trial = { command, env: inTrial(env, session), repository, dependencies, stop };
    const outcome = await runCheck(clone, trial);
    return outcomeOf(outcome) === "passed";
  } finally {
    clone.remove();
  }
}
