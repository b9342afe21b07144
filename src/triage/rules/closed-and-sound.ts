/**
 * The agent's word that it was done, after the last change, and everything the workspace can show for it (T2, S3).
 * Stricter than a parser and resolved references alone: whatever a note rule says about a member takes the word away.
 */

import type { GroupMember } from "../facts/member.ts";
import { CHECKED_LANGUAGES, natureOf } from "../facts/paths/languages.ts";
import { needsWord, needsWordOfItsOwn } from "../links/self-contained.ts";
import { closingOf } from "./evidence/closings.ts";
import { found, type Rule } from "./rule.ts";

export const closedAndSoundRule = {
  slug: "closed-and-sound",
  weight: "safe",
  restsOn: "word",
  about:
    "Said to be done after the last change (its operations ended, and without one the agent itself said that its turn completed), and every file parses, every reference to and from it resolves, manifest and lockfile agree, nothing is a gap, no note speaks against it.",
  detail:
    "Source in JavaScript, TypeScript and Python; data that parses; prose. A language without parser or reference check gives no such evidence. That the agent's process ended with 0 is word enough for prose and data, never for code and configuration (L7).",
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
