/**
 * The agent's word that it was done, after the last change, and everything the workspace can show for it (T2, S3).
 * Stricter than a parser and resolved references alone: whatever a note rule says about a member takes the word away.
 */
import { CHECKED_LANGUAGES, natureOf } from "../languages.ts";
import type { Member } from "../member.ts";
import { isWitness, lastWriteSeq } from "../operations.ts";
import { found, type GroupView, type Rule } from "../rule.ts";
import { isAppend, isUpdate } from "../self-contained.ts";

export const closedAndSoundRule = {
  slug: "closed-and-sound",
  weight: "safe",
  about:
    "Said to be done after the last change (its operations ended, and without one its turn completed), and every file parses, every reference to and from it resolves, manifest and lockfile agree, nothing is a gap, no note speaks against it.",
  detail:
    "Source in JavaScript, TypeScript and Python; data that parses; prose. A language without parser or reference check gives no such evidence.",
  check: (view) => {
    const rest = view.members.filter(
      (member) => !isAppend(member, view.classes) && !isUpdate(member, view.classes),
    );
    if (rest.length === 0) return [];
    const closed = closedBy(view, rest);
    if (closed === null || view.references.unfollowed.length > 0) return [];
    if (!rest.every(isSound)) return [];
    return [found(`${closed.message}, and what the workspace shows agrees.`, rest, closed.evidence)];
  },
} as const satisfies Rule;

interface Closed {
  readonly message: string;
  readonly evidence: readonly string[];
}

function closedBy({ operations, calls, facts }: GroupView, members: readonly Member[]): Closed | null {
  // Only the session's own word is about its own work.
  if (!members.every(({ fact }) => fact.owner.owner === "session")) return null;
  const last = latest(members.map(({ fact }) => lastWriteSeq(fact, calls)));
  if (last === null || operations.some(({ state }) => state !== "ended")) return null;
  const witnesses = operations.filter(isWitness);
  const over = witnesses.filter(({ endedSeq }) => endedSeq !== null && endedSeq >= last.to);
  if (witnesses.length > 0 && over.length === witnesses.length)
    return {
      message: "Its operation ended after the last change",
      evidence: witnesses.map(({ label }) => `operation ${label}: ended`),
    };
  const first = Math.min(...members.flatMap(({ fact }) => fact.writes.map(({ fromSeq }) => fromSeq)));
  const turns = facts.turns.filter(
    ({ startedSeq, endedSeq }) => startedSeq <= last.to && (endedSeq ?? Number.POSITIVE_INFINITY) >= first,
  );
  const isDone = turns.length > 0 && turns.every(({ outcome }) => outcome === "completed");
  const end = turns.reduce((most, { endedSeq }) => Math.max(most, endedSeq ?? 0), 0);
  if (!isDone || end < last.to) return null;
  return {
    message: "Its turn completed after the last change",
    evidence: turns.map(({ id }) => `turn ${id}: completed`),
  };
}

function latest(seqs: readonly (number | null)[]): { readonly to: number } | null {
  let to = 0;
  for (const seq of seqs) {
    if (seq === null) return null;
    to = Math.max(to, seq);
  }
  return { to };
}

function isSound({ after, change, gap }: Member): boolean {
  if (gap !== null) return false;
  // A file that went whole: whether something replaces it, deletion and the references say.
  if (change.to === null) return change.from?.kind === "file";
  if (change.to.kind !== "file" || !after || after.isBinary || after.parse.kind !== "sound") return false;
  const nature = natureOf(after.language);
  return nature === "prose" || nature === "data" || CHECKED_LANGUAGES.has(after.language);
}
