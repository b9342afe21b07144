/**
 * The judge's groups, with every odd name in their reasons as it is shown everywhere (T3): rules write names as they are. And
 * with what they quote of the agent without its secrets and no longer than a line or two (T4).
 */
import { redactBeginnings } from "../../text/redact-part.ts";
import { oddPaths, withShownPaths } from "../../text/shown-path.ts";
import type { TriageFacts } from "../../triage/facts/known/triage-facts.ts";
import { ruleOf } from "../../triage/rules/table.ts";
import type { Group, Reason } from "../../triage/verdict/group.ts";
import { judgeOnce } from "../../triage/verdict/judge-once.ts";
import { pathsOf } from "../../workspace/compare/states.ts";

/** Of a reason that quotes somebody. */
const MAX_QUOTING_CHARS = 240;

/** `headId`: the commit they are judged upon; null: there is none. */
export async function judgedGroups(facts: TriageFacts, headId: string | null): Promise<Group[]> {
  const groups = await judgeOnce(facts, headId);
  const odd = oddPaths(facts.changes.flatMap(({ change }) => pathsOf(change)));
  const shown = (text: string): string => withShownPaths(text, odd);
  const quoted = await quotedIn(groups);
  return groups.map((group) => ({
    ...group,
    reasons: group.reasons.map((reason) => ({
      ...reason,
      message: quoted.get(reason.message) ?? shown(reason.message),
      evidence: reason.evidence.map(shown),
    })),
  }));
}

/** Messages that quote the agent, by what the rule wrote. */
async function quotedIn(groups: readonly Group[]): Promise<ReadonlyMap<string, string>> {
  const isQuoting = (reason: Reason): boolean => ruleOf(reason).isQuoting === true;
  const all = groups.flatMap(({ reasons }) => reasons.filter(isQuoting).map(({ message }) => message));
  const texts = [...new Set(all)];
  const redacted = await redactBeginnings(texts.map((text) => ({ text, chars: MAX_QUOTING_CHARS })));
  return new Map(
    texts.map((text, at) => {
      const cut = text.length > MAX_QUOTING_CHARS ? '…"' : "";
      return [text, `${redacted[at]?.text ?? ""}${cut}`];
    }),
  );
}
