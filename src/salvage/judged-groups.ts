/** The judge's groups, with every odd name in their reasons as it is shown everywhere (T3): rules write names as they are. */
import { oddPaths, withShownPaths } from "../text/shown-path.ts";
import type { TriageFacts } from "../triage/facts.ts";
import type { Group } from "../triage/group.ts";
import { judgeOnce } from "../triage/judge-once.ts";
import { pathsOf } from "../workspace/compare.ts";

/** `headId`: the commit they are judged upon; null: there is none. */
export async function judgedGroups(facts: TriageFacts, headId: string | null): Promise<Group[]> {
  const groups = await judgeOnce(facts, headId);
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
