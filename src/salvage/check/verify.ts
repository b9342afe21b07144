/**
 * The user's own check, run where it can hurt nothing (DESIGN 8): on HEAD alone, and on HEAD with everything of the session
 * that could be kept, together first, then by halves (try-together.ts), each in a scratch clone of its own beside the store.
 * HEAD must pass by itself, or the check says nothing; a HEAD that is known to have passed is run again only where the work fails. What passes, passes as it would be committed: all of it at once. What
 * passes alone but not together is named, and none of that counts as evidence.
 *
 * Only text the user gave is run (T2); whoever calls this has seen to that. Bounded in time, output and number.
 */
import type { CommitPath } from "../../acts/git/commit-objects.ts";
import type { Environment } from "../../platform/places.ts";
import type { ProgramOutcome } from "../../platform/run-program.ts";
import { redact } from "../../text/redact.ts";
import type { CheckOutcome, VerifyFact } from "../../triage/facts/known/triage-facts.ts";
import type { Group } from "../../triage/verdict/group.ts";
import type { Repository } from "../../workspace/git/repository.ts";
import { scratchClone } from "../../workspace/git/scratch-clone.ts";
import { type Dependencies, planDependencies, withoutDependencies } from "./dependencies.ts";
import { lay, outcomeOf, runCheck } from "./run-check.ts";
import { type TogetherOutcome, tryTogether } from "./try-together.ts";

/** Each may take minutes; what they do not reach is left without this evidence. One of them is enough where all is well. */
const MAX_RUNS = 30;
/** What of the check's words is kept: the last lines, where programs say why. */
const KEPT_CHARS = 2000;

export interface VerifyOrder {
  readonly repository: Repository;
  readonly env: Environment;
  /** The store's folder. */
  readonly home: string;
  readonly commit: string;
  readonly branch: string | null;
  readonly command: string;
  /** The user's word that the check may write into his dependencies. */
  readonly isLinking: boolean;
  readonly groups: readonly Group[];
  /** Whether a check that passes makes it safe: those are what a commit would have, and are tried together. */
  readonly canBeKept: (group: Group) => boolean;
  /** Null: it cannot be laid upon HEAD. */
  readonly pathsOf: (group: Group) => Promise<readonly CommitPath[] | null>;
  /** Whether an earlier run of it passed on this very commit alone, with these dependencies. */
  readonly hasPassedOnHead: (dependencies: Dependencies) => boolean;
  readonly onStep?: (label: string, done: number, total: number) => void;
  /** What the check says while it runs, and what came of each run. */
  readonly onHeard?: ((piece: Buffer) => void) | undefined;
  readonly onRan?: ((outcome: CheckOutcome) => void) | undefined;
  /** Aborted: the check that runs is stopped, its scratch tree goes, and the reason is thrown. */
  readonly stop?: AbortSignal | undefined;
}

export interface VerifiedGroups extends VerifyFact {
  /** All that passed, together; null: there were no two of them. */
  readonly together: CheckOutcome | null;
  /** The end of what the check said where it failed, by `HEAD`, group or `together`. */
  readonly words: ReadonlyMap<string, string>;
  /** Groups that were not tried: too many, or they cannot be laid upon HEAD. */
  readonly untried: number;
  readonly dependencies: Dependencies;
}

export async function verifyGroups(order: VerifyOrder): Promise<VerifiedGroups> {
  const { command, groups, onStep, repository, home, env, isLinking } = order;
  const words = new Map<string, string>();
  const total = groups.length + 1;
  const pathsOf = await fitting(order);
  const fit = groups.filter(({ id }) => pathsOf.has(id));
  const keepable = fit.filter(order.canBeKept);
  const runs = { left: MAX_RUNS };
  let run = 0;
  const checkUpon =
    (dependencies: Dependencies) =>
    async (set: readonly Group[]): Promise<boolean> => {
      run++;
      // By halves it may take more than there are groups.
      onStep?.(labelOf(set), run, Math.max(total, run + 1));
      const paths = set.flatMap(({ id }) => pathsOf.get(id) ?? []);
      const last = set.at(-1)?.id ?? "";
      return afterHead(await checkWith(order, { paths, label: last, dependencies }, words)) === "passed";
    };
  const planned = await planDependencies(repository, { home, env, isLinking });
  const isTriedFirst = keepable.length > 0 && order.hasPassedOnHead(planned);
  if (isTriedFirst) runs.left--;
  const isGood = isTriedFirst && (await checkUpon(planned)(keepable));
  const { head, dependencies } = isGood
    ? ({ head: "passed", dependencies: planned } as const)
    : await checkHead(order, planned, words, total);
  const common = { command, head, words, dependencies };
  if (head !== "passed")
    return { ...common, groups: new Map(), together: null, clashing: [], untried: groups.length };
  const check = checkUpon(dependencies);
  // With other dependencies than it failed with, it is another trial.
  const hasFailed = isTriedFirst && dependencies === planned;
  const kept = isGood
    ? { passed: keepable, failed: [], clashing: [], untried: [] }
    : await tryTogether(keepable, { runs, hasFailed }, check);
  // What cannot be kept in any case is looked at upon what can: it must not decide about it.
  const others = fit.filter((group) => !order.canBeKept(group));
  const rest = await tryTogether(others, { base: kept.passed, runs }, check);
  return { ...common, ...told(kept, rest, words), untried: groups.length - fit.length + runless(kept, rest) };
}

type TriedGroups = TogetherOutcome<Group>;

const runless = (kept: TriedGroups, rest: TriedGroups): number => kept.untried.length + rest.untried.length;

/** Of those that clash nobody can say which is wrong: none of them counts. The others passed without them. */
function told(
  kept: TriedGroups,
  rest: TriedGroups,
  words: Map<string, string>,
): Pick<VerifiedGroups, "groups" | "together" | "clashing"> {
  const outcomes = new Map<string, CheckOutcome>();
  const clashing: string[] = [];
  for (const { passed, failed, clashing: alone, untried } of [kept, rest]) {
    for (const { id } of passed) outcomes.set(id, "passed");
    for (const { id } of [...failed, ...alone]) outcomes.set(id, "failed");
    for (const { id } of untried) outcomes.set(id, "not-run");
    clashing.push(...alone.map(({ id }) => id));
  }
  // The last of each was tried upon the others.
  const why = [kept, rest].flatMap(({ clashing: of }) => words.get(of.at(-1)?.id ?? "") ?? [])[0];
  if (why !== undefined) words.set("together", why);
  const hasSeveral = kept.passed.length + rest.passed.length > 1;
  const together = clashing.length > 0 ? "failed" : hasSeveral ? "passed" : null;
  return { groups: outcomes, together, clashing };
}

const labelOf = (set: readonly Group[]): string =>
  set.length === 1 ? `HEAD with ${set[0]?.id ?? ""}` : `HEAD with ${set.length} groups together`;

/** What each would be in a commit; those that cannot be laid upon HEAD are not among them. */
async function fitting({ groups, pathsOf }: VerifyOrder): Promise<Map<string, readonly CommitPath[]>> {
  const found = new Map<string, readonly CommitPath[]>();
  for (const group of groups) {
    const paths = await pathsOf(group);
    if (paths !== null) found.set(group.id, paths);
  }
  return found;
}

/**
 * What ran to its end on HEAD and does not with a change laid upon it (a script that is gone, an endless loop, output
 * without bound) is broken by the change: "not-run" here would leave the agent's word standing (T2).
 */
const afterHead = (outcome: CheckOutcome): CheckOutcome => (outcome === "passed" ? "passed" : "failed");

/**
 * A check that installs its dependencies itself fails where they are mounted: so one that fails on HEAD is tried without
 * them, and what passes there is what the groups are held against.
 */
async function checkHead(
  order: VerifyOrder,
  dependencies: Dependencies,
  words: Map<string, string>,
  total: number,
): Promise<{ head: CheckOutcome; dependencies: Dependencies }> {
  order.onStep?.("HEAD alone", 0, total);
  const head = await checkWith(order, { paths: [], label: "HEAD", dependencies }, words);
  if (head === "passed" || dependencies.how === "none") return { head, dependencies };
  order.onStep?.("HEAD alone, without dependencies", 0, total);
  const without = withoutDependencies(dependencies);
  const again = await checkWith(order, { paths: [], label: "without", dependencies: without }, words);
  if (again !== "passed") return { head, dependencies };
  words.delete("HEAD");
  return { head: again, dependencies: without };
}

interface VerifyTrial {
  readonly paths: readonly CommitPath[];
  readonly label: string;
  readonly dependencies: Dependencies;
}

/** A clone of its own for every run: what one check leaves behind must not help or hurt the next. */
async function checkWith(
  order: VerifyOrder,
  { paths, label, dependencies }: VerifyTrial,
  words: Map<string, string>,
): Promise<CheckOutcome> {
  const { repository, env, home, commit, branch, command, stop, onHeard } = order;
  const clone = await scratchClone(repository, { home, env, commit, branch });
  try {
    for (const one of paths) lay(clone.root, one);
    const outcome = await runCheck(clone, { command, env, repository, dependencies, stop, onHeard });
    const said = await wordsOf(outcome);
    if (said !== "") words.set(label, said);
    order.onRan?.(outcomeOf(outcome));
    return outcomeOf(outcome);
  } finally {
    clone.remove();
  }
}

/** They are shown, so secrets are taken out (T4), and that before they are cut: of half a secret nobody knows that it is one. */
async function wordsOf(outcome: ProgramOutcome): Promise<string> {
  if (outcome.kind !== "ended" || outcome.code === 0) return outcome.kind === "ended" ? "" : outcome.kind;
  const text = `${outcome.stdout.toString("utf8")}\n${outcome.stderr}`.trim();
  return (await redact(text.slice(-2 * KEPT_CHARS))).text.slice(-KEPT_CHARS);
}
