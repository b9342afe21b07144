/** The message of a commit nobody gave one for: from the ended operations its changes were made in, the goal, the files. */
import { commitMessage } from "../acts/commit-message.ts";
import { globMatcher } from "../text/glob.ts";
import type { ChangeFact, OperationFact } from "../triage/facts.ts";
import type { Group } from "../triage/group.ts";
import { isDuring } from "../triage/operations.ts";
import type { Salvage } from "./salvage.ts";

export function messageFor({ operations, goal }: Salvage, groups: readonly Group[]): string {
  const changes = groups.flatMap((group) => group.changes);
  const ended = operations.filter(({ state }) => state === "ended");
  const isAll = (label: string): boolean =>
    changes.every((change) => ended.some((one) => one.label === label && isIn(change, one)));
  return commitMessage({
    operations: endedLabels(operations, groups).filter(isAll),
    goal,
    paths: changes.map(({ change }) => change.path),
  });
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
