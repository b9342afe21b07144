/**
 * The judge's groups as everybody sees them: with every odd name in their reasons as it is shown everywhere (T3), for rules write
 * names as they are; with what they quote of the agent without its secrets and no longer than a line or two (T4); whose each is (W5);
 * and in which order.
 */
import { redactBeginnings } from "../../text/redact-part.ts";
import { oddPaths, shownPath, withShownPaths } from "../../text/shown-path.ts";
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

/** Whose a group is, as one who settles or shows it must know (W5). Null: the session's own, all of it. */
export function whyNotOwn({ changes }: Group): string | null {
  const stranger = changes.find(({ owner }) => owner.owner !== "session");
  if (!stranger) return null;
  const path = shownPath(stranger.change.path);
  const { owner, ownerSession } = stranger.owner;
  switch (owner) {
    case "session":
      return null;
    case "before":
      return `${path} was so before the session began`;
    case "after":
      return `${path} changed after its end`;
    case "other":
      return `${path} is the session ${ownerSession ?? "?"}'s`;
    case "unknown":
      return `nothing ties ${path} to the session`;
    default:
      return owner satisfies never;
  }
}

/** Another session's work is never settled in this one's name, whoever names it. */
export const isOthers = ({ changes }: Group): boolean => changes.some(({ owner }) => owner.owner === "other");

const WORST: Readonly<Record<Group["verdict"], number>> = { risky: 0, unknown: 1, safe: 2 };

/** As groups are shown and settled: the session's own before others', the worst before the better, then by path: the same facts, the same order. */
export function worstFirst(a: Group, b: Group): number {
  const strangeness = (group: Group): number =>
    group.changes.some(({ owner }) => owner.owner === "session") ? 0 : 1;
  const first = (group: Group): string => group.changes[0]?.change.path ?? "";
  return (
    strangeness(a) - strangeness(b) || WORST[a.verdict] - WORST[b.verdict] || (first(a) < first(b) ? -1 : 1)
  );
}
