/**
 * The user's own check, run where it can hurt nothing (DESIGN 8): on HEAD alone, on HEAD with one group, and on HEAD with all
 * groups that passed, each in a scratch clone of its own beside the store. HEAD must pass by itself, or the check says
 * nothing. What passes alone but not together is named, and then none of it counts as evidence.
 *
 * Only text the user gave is run (T2); whoever calls this has seen to that. Bounded in time, output and number.
 */
import type { CommitPath } from "../acts/commit-objects.ts";
import type { Environment } from "../platform/places.ts";
import type { ProgramOutcome } from "../platform/run-program.ts";
import type { CheckOutcome, VerifyFact } from "../triage/facts.ts";
import type { Group } from "../triage/group.ts";
import type { Repository } from "../workspace/git/repository.ts";
import { scratchClone } from "../workspace/scratch-clone.ts";
import { type Dependencies, planDependencies, withoutDependencies } from "./check-dependencies.ts";
import { lay, outcomeOf, runCheck } from "./run-check.ts";

/** Groups tried one by one; the rest is left without this evidence. */
const MAX_GROUPS = 20;
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
  /** Null: it cannot be laid upon HEAD. */
  readonly pathsOf: (group: Group) => Promise<readonly CommitPath[] | null>;
  readonly onStep?: (label: string, done: number, total: number) => void;
  /** Aborted: the check that runs is stopped, its scratch tree goes, and the reason is thrown. */
  readonly stop?: AbortSignal | undefined;
}

export interface Verified extends VerifyFact {
  /** All that passed alone, together; null: there was nothing to try. */
  readonly together: CheckOutcome | null;
  /** The end of what the check said where it failed, by `HEAD`, group or `together`. */
  readonly words: ReadonlyMap<string, string>;
  /** Groups that were not tried: too many, or they cannot be laid upon HEAD. */
  readonly untried: number;
  readonly dependencies: Dependencies;
}

export async function verifyGroups(order: VerifyOrder): Promise<Verified> {
  const { command, groups, onStep } = order;
  const words = new Map<string, string>();
  const tried = groups.slice(0, MAX_GROUPS);
  const total = tried.length + 2;
  onStep?.("HEAD alone", 0, total);
  const { head, dependencies } = await checkHead(order, words, total);
  const check = (paths: readonly CommitPath[], label: string): Promise<CheckOutcome> =>
    checkWith(order, { paths, label, dependencies }, words);
  const outcomes = new Map<string, CheckOutcome>();
  const passed: CommitPath[] = [];
  const alone: string[] = [];
  let unfit = 0;
  for (const [at, group] of head === "passed" ? tried.entries() : []) {
    onStep?.(`HEAD with ${group.id}`, at + 1, total);
    const paths = await order.pathsOf(group);
    if (paths === null) unfit++;
    const outcome = paths === null ? "not-run" : afterHead(await check(paths, group.id));
    outcomes.set(group.id, outcome);
    if (outcome !== "passed" || paths === null) continue;
    passed.push(...paths);
    alone.push(group.id);
  }
  if (alone.length > 1) onStep?.("all of them together", total - 1, total);
  const together = alone.length > 1 ? afterHead(await check(passed, "together")) : null;
  const clashing = together === null || together === "passed" ? [] : alone;
  for (const id of clashing) outcomes.set(id, "failed");
  const untried = head === "passed" ? groups.length - tried.length + unfit : groups.length;
  return { command, head, groups: outcomes, together, clashing, words, untried, dependencies };
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
  words: Map<string, string>,
  total: number,
): Promise<{ head: CheckOutcome; dependencies: Dependencies }> {
  const { repository, home, env, isLinking } = order;
  const dependencies = await planDependencies(repository, { home, env, isLinking });
  const head = await checkWith(order, { paths: [], label: "HEAD", dependencies }, words);
  if (head === "passed" || dependencies.how === "none") return { head, dependencies };
  order.onStep?.("HEAD alone, without dependencies", 0, total);
  const without = withoutDependencies(dependencies);
  const again = await checkWith(order, { paths: [], label: "without", dependencies: without }, words);
  if (again !== "passed") return { head, dependencies };
  words.delete("HEAD");
  return { head: again, dependencies: without };
}

interface Trial {
  readonly paths: readonly CommitPath[];
  readonly label: string;
  readonly dependencies: Dependencies;
}

/** A clone of its own for every run: what one check leaves behind must not help or hurt the next. */
async function checkWith(
  order: VerifyOrder,
  { paths, label, dependencies }: Trial,
  words: Map<string, string>,
): Promise<CheckOutcome> {
  const { repository, env, home, commit, branch, command, stop } = order;
  const clone = await scratchClone(repository, { home, env, commit, branch });
  try {
    for (const one of paths) lay(clone.root, one);
    const outcome = await runCheck(clone, { command, env, repository, dependencies, stop });
    const said = wordsOf(outcome);
    if (said !== "") words.set(label, said);
    return outcomeOf(outcome);
  } finally {
    clone.remove();
  }
}

function wordsOf(outcome: ProgramOutcome): string {
  if (outcome.kind !== "ended" || outcome.code === 0) return outcome.kind === "ended" ? "" : outcome.kind;
  const text = `${outcome.stdout.toString("utf8")}\n${outcome.stderr}`.trim();
  return text.slice(-KEPT_CHARS);
}
