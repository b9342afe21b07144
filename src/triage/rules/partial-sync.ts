import type { CallFact, TriageFacts } from "../facts/known/triage-facts.ts";
import { copiesFromOutside } from "./evidence/copies-from-outside.ts";
import { found, type Rule } from "./rule.ts";

export const partialSyncRule = {
  slug: "partial-sync",
  weight: "risky",
  about: "Part of a set was copied from elsewhere, and the copying did not come to its end.",
  detail:
    "Calls that copy from outside the workspace (cp, rsync, scp, tar, git archive, template tools) and failed, had no result, or were one of several of a turn that did not complete.",
  check: ({ members, calls, facts }) => {
    const copying = [...calls.values()].filter(
      ({ command }) => command !== null && copiesFromOutside(command),
    );
    return copying.flatMap((call) => {
      const touched = members.filter(({ fact }) => fact.writes.some((write) => write.call === call.id));
      if (touched.length === 0 || !isUnfinished(call, copying, facts)) return [];
      return [
        found("Part of a set was copied from elsewhere, and it is not known that the rest was.", touched, [
          `call ${call.id}: ${call.command}`,
        ]),
      ];
    });
  },
} as const satisfies Rule;

function isUnfinished(call: CallFact, copying: readonly CallFact[], facts: TriageFacts): boolean {
  if (call.endedSeq === null || call.outcome !== "done") return true;
  const turn = facts.turns.find(
    ({ startedSeq, endedSeq }) =>
      startedSeq < call.startedSeq && (endedSeq ?? Number.POSITIVE_INFINITY) > call.startedSeq,
  );
  return copying.length > 1 && turn !== undefined && turn.outcome !== "completed";
}
