/**
 * The judge: changes in, groups with verdicts out. Pure but for loading parsers (parsers.ts).
 *
 *  J1  Safe needs evidence from the workspace; any risky evidence wins; no evidence is unknown (S3).
 *  J2  A group is as good as its worst member, and is kept or dropped whole (S4).
 *  J3  The same facts give the same groups, ids and reasons, in the same order.
 *  J4  What could not be looked at (a gap, a limit, a language without a parser) is never evidence for safe (W4).
 */
import type { ChangeFact, TriageFacts, Verdict } from "./facts.ts";
import type { Group, Reason } from "./group.ts";
import { groupId } from "./group-id.ts";
import { groupChanges } from "./grouping.ts";

export async function judgeChanges(facts: TriageFacts): Promise<Group[]> {
  return groupChanges(facts).map((changes) => judgeGroup(changes));
}

function judgeGroup(changes: readonly ChangeFact[]): Group {
  const reasons: Reason[] = [];
  return { id: groupId(changes), changes, verdict: verdictOf(reasons), reasons };
}

/** J1. */
export function verdictOf(reasons: readonly Reason[]): Verdict {
  if (reasons.some(({ weight }) => weight === "risky")) return "risky";
  return reasons.some(({ weight }) => weight === "safe") ? "safe" : "unknown";
}
