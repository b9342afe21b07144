/** Rules about who says that it is done: the agent, its exit code, the user's check (T2, L7). */
import type { SaidFact } from "../facts/known/triage-facts.ts";
import type { GroupMember } from "../facts/member.ts";
import { notLookedFor } from "../facts/paths/language-names.ts";
import { CHECKED_LANGUAGES, natureOf } from "../facts/paths/languages.ts";
import { lastWriteSeq } from "../links/operations.ts";
import { needsWord, needsWordOfItsOwn } from "../links/self-contained.ts";
import { closingOf } from "./evidence/closings.ts";
import type { GroupView } from "./evidence/group-view.ts";
import { remainingWords } from "./evidence/remaining-words.ts";
import { found, naming, type Rule } from "./rule.ts";

/** An exit code says that a process ended, not that the work did (L7). */
export const noEvidenceRule = {
  slug: "no-evidence",
  weight: "note",
  remedy: "Read it, and keep it if it is whole.",
  voids: "word",
  about:
    "Nobody said that it is done: all that is known of the end is that the agent's process exited with 0, and there is code or configuration in it.",
  detail:
    "An ended operation, the agent's own end record or the user's check says so. Also said, with other words, where nothing at all speaks for or against a group.",
  check: (view) => {
    const rest = needsWord(view);
    const bare = rest.filter((member) => needsWordOfItsOwn(member, view.classes));
    const [first] = bare;
    if (!first || closingOf(view, rest)?.by !== "exit") return [];
    // What nothing here can look into would need more than a word.
    const unseen = bare.map(({ path }) => notLookedFor(path)).find((why) => why !== null);
    const message = `Nobody said that ${naming(bare.length, first.path, "is", "are")} done: its agent only exited with 0${unseen ? `; ${unseen}` : ""}.`;
    return [
      found(
        message,
        bare,
        bare.map(({ path }) => `${path}: no ended operation, no end record`),
      ),
    ];
  },
} as const satisfies Rule;

/**
 * What the agent said last of its own work (T2). Where it says that something is not done, nothing of what it wrote then is
 * taken for done on anybody's word. That it will now do something else speaks against work without an operation of its own
 * only: a piece that was ended by itself is not what comes next.
 */
export const workRemainsRule = {
  slug: "work-remains",
  weight: "note",
  remedy: "Resume the session to have it done.",
  voids: "check",
  isQuoting: true,
  about: "The last thing the agent said after it was written says that work remains.",
  detail:
    'The end of its last message, or of its output under `run`: "stopping here for now", "not finished yet", "left to do", "TODO: remaining ..."; and, where no ended operation closes the group, "next I will ...", "will continue"; the same in the languages that triage.md names. Not an append to a journal or an update of a record. A check does not take it back: it is the agent that says so.',
  check: (view) => {
    const rest = needsWord(view).filter(({ fact }) => fact.owner.owner === "session");
    if (rest.length === 0) return [];
    const said = lastSaid(view, rest);
    const words = said && remainingWords(said.text);
    if (!said || !words || (words.kind === "next" && closingOf(view, rest)?.by === "operation")) return [];
    return [
      found(`${WORDS_BEFORE}"${words.sentence}"${ENDED.test(words.sentence) ? "" : "."}`, rest, [
        `the end of its ${WHERE[said.channel] ?? said.channel}`,
      ]),
    ];
  },
} as const satisfies Rule;

/** What follows is another sentence: a quote without an end of its own gets one. */
const ENDED = /[.!?…。！？]$/;
const WORDS_BEFORE = "The agent's last words say that work remains: ";

const WHERE: Readonly<Record<string, string>> = { messages: "last message", stdout: "output" };

/**
 * Items of the agent's own list that were not done when its turn ended: it said of the turn that it is over, and of these that they are not.
 * A piece that was ended by itself is not what they speak of.
 */
export const openPlanRule = {
  slug: "open-plan",
  weight: "note",
  remedy: "Resume the session to have it done.",
  voids: "word",
  isQuoting: true,
  about: "The agent's own list of what is to be done had items left when the turn it was written in ended.",
  detail:
    "As the list stood at the end of the last turn in which it may have been written: items that are open or under way. Not where an ended operation closes the group, nor an append to a journal or an update of a record.",
  check: (view) => {
    const rest = needsWord(view).filter(({ fact }) => fact.owner.owner === "session");
    if (rest.length === 0) return [];
    const until = endOfTurns(view, rest);
    const plan = view.facts.plans.findLast(({ seq }) => seq <= until);
    if (!plan || plan.left === 0 || closingOf(view, rest)?.by === "operation") return [];
    const named = plan.named.map((item) => `"${item}"`).join(", ");
    const more = plan.left > plan.named.length ? ` and ${plan.left - plan.named.length} more` : "";
    const message = `The agent's plan still had ${plan.left === 1 ? "an item" : `${plan.left} items`} to do: ${named}${more}.`;
    return [found(message, rest, [`plan: ${plan.left} not done`])];
  },
} as const satisfies Rule;

/** The last thing it said in the turns these were written in; null: nothing, or they all came after it. */
function lastSaid(view: GroupView, members: readonly GroupMember[]): SaidFact | null {
  const { facts, calls } = view;
  const writes = members.flatMap(({ fact }) => fact.writes);
  const until = endOfTurns(view, members);
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

/** Where the turns these may have been written in ended; without an end where one has none, or nobody knows. */
function endOfTurns({ facts }: GroupView, members: readonly GroupMember[]): number {
  const writes = members.flatMap(({ fact }) => fact.writes);
  const first = Math.min(...writes.map(({ fromSeq }) => fromSeq));
  const last = Math.max(...writes.map(({ toSeq }) => toSeq));
  const ends = facts.turns
    .filter(({ startedSeq, endedSeq }) => startedSeq <= last && (endedSeq ?? last) >= first)
    .map(({ endedSeq }) => endedSeq ?? Number.POSITIVE_INFINITY);
  return writes.length > 0 && ends.length > 0 ? Math.max(...ends) : Number.POSITIVE_INFINITY;
}

/** The user's check says no: whatever the agent says, the group is not called safe (T2). */
export const checkFailedRule = {
  slug: "check-failed",
  weight: "note",
  remedy: "Mend it, or leave it out.",
  voids: "check",
  about:
    "The user's check passes on HEAD alone, and not with this group, or not with it and another that clashes with it.",
  check: ({ facts: { verify }, id, members }) => {
    if (verify?.head !== "passed" || verify.groups.get(id) !== "failed") return [];
    const text = verify.clashing.includes(id)
      ? "It passes the user's check by itself, and not together with others that clash with it."
      : "The user's check passes without it, and fails with it.";
    return [found(text, members, [`check: ${verify.command}`])];
  },
} as const satisfies Rule;

export const verifiedRule = {
  slug: "verified",
  weight: "safe",
  restsOn: "check",
  about:
    "The user's check passes on HEAD with what can be kept of the session's work in a scratch tree, this group in it, and passes on HEAD alone.",
  detail:
    "In place of the agent's word, in any language; not for a file that a note speaks of, nor for work that is on record as cut off: its turn is open, was interrupted, failed or was cancelled, and no operation of it ended. Of work that somebody said is done, if only by ending with 0, it takes the doubts away that void the word alone (above), never anything risky.",
  check: (view) => {
    const { id, facts } = view;
    const { verify } = facts;
    if (verify?.head !== "passed" || verify.groups.get(id) !== "passed") return [];
    const finished = finishedOf(view);
    if (finished.length === 0) return [];
    return [
      found("The user's check passes with it, and without it.", finished, [`check: ${verify.command}`]),
    ];
  },
} as const satisfies Rule;

/**
 * What a check can speak for: work that is not on record as cut off. Half of it passes most checks as well as all of it, as long as the other
 * half is yet to come (DESIGN 8: HEAD and what the session finished). Where nobody recorded anything, the user's own word is his check.
 */
export const finishedOf = (view: GroupView): GroupMember[] =>
  view.members.filter((member) => !isCutOff(view, member) || closingOf(view, [member]) !== null);

function isCutOff({ facts, calls }: GroupView, { fact }: GroupMember): boolean {
  if (fact.owner.owner !== "session") return false;
  const last = lastWriteSeq(fact, calls);
  const turn = facts.turns.findLast(({ startedSeq }) => last === null || startedSeq <= last);
  if (!turn) return false;
  return turn.outcome === null ? turn.endedBy === null : turn.outcome !== "completed";
}

/**
 * The agent's word that it was done, after the last change, and everything the workspace can show for it (T2, S3).
 * Stricter than a parser and resolved references alone: whatever a note rule says about a member takes the word away.
 */
export const closedAndSoundRule = {
  slug: "closed-and-sound",
  weight: "safe",
  restsOn: "word",
  about:
    "Said to be done after the last change (its operations ended, and without one the agent itself said that its turn completed), and every file parses, every reference to and from it resolves, manifest and lockfile agree, nothing is a gap, no note speaks against it.",
  detail:
    "Source in JavaScript, TypeScript, Python, Go, Rust and Java; data that parses; prose. A language without parser or reference check gives no such evidence. That the agent's process ended with 0 is word enough for prose and data, never for code and configuration (L7).",
  check: (view) => {
    const rest = needsWord(view);
    if (rest.length === 0) return [];
    const closed = closingOf(view, rest);
    if (closed === null || view.references.unfollowed.length > 0) return [];
    if (closed.by === "exit" && rest.some((member) => needsWordOfItsOwn(member, view.classes))) return [];
    if (!rest.every(isSound)) return [];
    return [found(`${closed.message}, and what the workspace shows agrees.`, rest, closed.evidence)];
  },
} as const satisfies Rule;

function isSound({ after, change, gap }: GroupMember): boolean {
  if (gap !== null) return false;
  // A file that went whole: whether something replaces it, deletion and the references say.
  if (change.to === null) return change.from?.kind === "file";
  if (change.to.kind !== "file" || !after || after.isBinary || after.parse.kind !== "sound") return false;
  const nature = natureOf(after.language);
  return nature === "prose" || nature === "data" || CHECKED_LANGUAGES.has(after.language);
}
