/** The message of a commit nobody gave one for: from the ended operations its changes were made in, the goal, the files. */
import { commitMessage } from "../../acts/git/commit-message.ts";
import { globMatcher } from "../../text/glob.ts";
import type { ChangeFact, OperationFact } from "../../triage/facts/known/triage-facts.ts";
import { pathClasses } from "../../triage/facts/paths/path-classes.ts";
import { isDuring } from "../../triage/links/operations.ts";
import type { Group } from "../../triage/verdict/group.ts";
import type { Salvage } from "../judging/salvage.ts";

export function messageFor(found: Salvage, groups: readonly Group[]): string {
  const { operations, goal } = found;
  const changes = groups.flatMap((group) => group.changes);
  const left = leftBesideJournals(found, changes);
  const ended = operations.filter(({ state }) => state === "ended");
  const isOf = (change: ChangeFact, label: string): boolean =>
    ended.some((one) => one.label === label && isIn(change, one));
  const isItsWork = (label: string): boolean =>
    changes.every((change) => isOf(change, label)) && !left.some((change) => isOf(change, label));
  return commitMessage({
    operations: endedLabels(operations, groups).filter(isItsWork),
    goal,
    paths: changes.map(({ change }) => change.path),
  });
}

/** A journal tells of the work: a commit of it alone is not the work that is left out. None: there is more in it than journals. */
function leftBesideJournals({ groups, facts }: Salvage, changes: readonly ChangeFact[]): ChangeFact[] {
  const { isJournal, isRecord } = pathClasses(facts.pathRules);
  if (!changes.every(({ change: { path } }) => isJournal(path) || isRecord(path))) return [];
  const own = groups.flatMap((group) => group.changes).filter(({ owner }) => owner.owner === "session");
  const taken = new Set(changes.map(({ change }) => change.path));
  return own.filter(({ change }) => !taken.has(change.path));
}

/** Of the ended operations that some of these changes were made in. */
export function endedLabels(operations: readonly OperationFact[], groups: readonly Group[]): string[] {
  const changes = groups.flatMap((group) => group.changes);
  const its = operations.filter(
    (operation) => operation.state === "ended" && changes.some((change) => isIn(change, operation)),
  );
  return [...new Set(its.map(({ label }) => label))];
}

function isIn({ change, writes }: ChangeFact, operation: OperationFact): boolean {
  if (operation.paths !== null) return globMatcher(operation.paths)(change.path);
  return writes.some((write) => isDuring(write, operation));
}
