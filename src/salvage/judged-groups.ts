/** The judge's groups, with every odd name in their reasons as it is shown everywhere (T3): rules write names as they are. */
import { oddPaths, withShownPaths } from "../text/shown-path.ts";
import type { TriageFacts } from "../triage/facts.ts";
import type { Group } from "../triage/group.ts";
import { judgeChanges } from "../triage/judge.ts";
import { pathsOf } from "../workspace/compare.ts";

export async function judgedGroups(facts: TriageFacts): Promise<Group[]> {
  const groups = await judgeChanges(facts);
  const odd = oddPaths(facts.changes.flatMap(({ change }) => pathsOf(change)));
  const shown = (text: string): string => withShownPaths(text, odd);
  return groups.map((group) => ({
    ...group,
    reasons: group.reasons.map((reason) => ({
      ...reason,
      message: shown(reason.message),
      evidence: reason.evidence.map(shown),
    })),
  }));
}
