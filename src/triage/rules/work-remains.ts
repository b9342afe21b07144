/**
 * What the agent said last of its own work (T2). Where it says that something is not done, nothing of what it wrote then is
 * taken for done on anybody's word. That it will now do something else speaks against work without an operation of its own
 * only: a piece that was ended by itself is not what comes next.
 */

import type { SaidFact } from "../facts/known/triage-facts.ts";
import type { GroupMember } from "../facts/member.ts";
import { needsWord } from "../links/self-contained.ts";
import { closingOf } from "./evidence/closings.ts";
import type { GroupView } from "./evidence/group-view.ts";
import { remainingWords } from "./evidence/remaining-words.ts";
import { found, type Rule } from "./rule.ts";

export const workRemainsRule = {
  slug: "work-remains",
  weight: "note",
  voids: "check",
  isQuoting: true,
  about: "The last thing the agent said after it was written says that work remains.",
  detail:
    'The end of its last message, or of its output under `run`: "stopping here for now", "not finished yet", "left to do", "TODO: remaining ..."; and, where no ended operation closes the group, "next I will ...", "will continue". Not an append to a journal or an update of a record. A check does not take it back: it is the agent that says so.',
  check: (view) => {
    const rest = needsWord(view).filter(({ fact }) => fact.owner.owner === "session");
    if (rest.length === 0) return [];
    const said = lastSaid(view, rest);
    const words = said && remainingWords(said.text);
    if (!said || !words || (words.kind === "next" && closingOf(view, rest)?.by === "operation")) return [];
    return [
      found(`${WORDS_BEFORE}"${words.sentence}"`, rest, [
        `the end of its ${WHERE[said.channel] ?? said.channel}`,
      ]),
    ];
  },
} as const satisfies Rule;

/** What stands before the words it quotes: whoever shows them takes secrets out and cuts them (T4). */
const WORDS_BEFORE = "The agent's last words say that work remains: ";

const WHERE: Readonly<Record<string, string>> = { messages: "last message", stdout: "output" };

/** The last thing it said in the turns these were written in; null: nothing, or they all came after it. */
function lastSaid({ facts, calls }: GroupView, members: readonly GroupMember[]): SaidFact | null {
  const writes = members.flatMap(({ fact }) => fact.writes);
  const first = Math.min(...writes.map(({ fromSeq }) => fromSeq));
  const last = Math.max(...writes.map(({ toSeq }) => toSeq));
  const ends = facts.turns
    .filter(({ startedSeq, endedSeq }) => startedSeq <= last && (endedSeq ?? last) >= first)
    .map(({ endedSeq }) => endedSeq ?? Number.POSITIVE_INFINITY);
  const until = writes.length > 0 && ends.length > 0 ? Math.max(...ends) : Number.POSITIVE_INFINITY;
  const said = facts.said
    .filter(({ seq, text }) => seq <= until && text.trim() !== "")
    .reduce<SaidFact | null>((newest, one) => (newest && newest.seq > one.seq ? newest : one), null);
  if (!said) return null;
  // Of what it printed only the end is kept, and it is as new as anything; of a message the journal says what came later.
  const isStale =
    said.channel === "messages" &&
    writes.length > 0 &&
    writes.every(({ fromSeq, call }) => {
      const began = call === null ? undefined : calls.get(call)?.startedSeq;
      return fromSeq >= said.seq || (began ?? 0) > said.seq;
    });
  return isStale ? null : said;
}
