/** The order groups are shown and settled in. Pure. */
import type { Group } from "../../triage/verdict/group.ts";

const WORST: Readonly<Record<Group["verdict"], number>> = { risky: 0, unknown: 1, safe: 2 };

/** The session's own before others', the worst before the better, then by path: the same facts, the same order. */
export function worstFirst(a: Group, b: Group): number {
  const strangeness = (group: Group): number =>
    group.changes.some(({ owner }) => owner.owner === "session") ? 0 : 1;
  const first = (group: Group): string => group.changes[0]?.change.path ?? "";
  return (
    strangeness(a) - strangeness(b) || WORST[a.verdict] - WORST[b.verdict] || (first(a) < first(b) ? -1 : 1)
  );
}
