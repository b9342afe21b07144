/**
 * What is said of a group that no rule speaks of (J1): whose word is missing, or what of it nothing here can look into. One sentence; what
 * would settle it is added to it (verdict/proposals.ts). Pure.
 */
import { unlookedWhy } from "../facts/known/file-facts.ts";
import type { TurnFact } from "../facts/known/triage-facts.ts";
import type { GroupMember } from "../facts/member.ts";
import { notLookedFor } from "../facts/paths/language-names.ts";
import { isWitness } from "../links/operations.ts";
import { needsWord } from "../links/self-contained.ts";
import { closingOf } from "../rules/evidence/closings.ts";
import type { GroupView } from "../rules/evidence/group-view.ts";
import { found, naming } from "../rules/rule.ts";
import { noEvidenceRule } from "../rules/words.ts";
import type { Reason } from "./group.ts";

export function nothingSpeaks(view: GroupView): Reason {
  const { slug: rule, weight, remedy } = noEvidenceRule;
  const { members, references } = view;
  const { message, evidence } = found(
    messageOf(view),
    members,
    members.map((member) => evidenceOf(member)),
  );
  return { rule, weight, message, evidence: [...references.unfollowed, ...evidence], remedy };
}

function messageOf(view: GroupView): string {
  const { operations, members, references } = view;
  const passing = operations.find((operation) => !isWitness(operation));
  if (passing !== undefined)
    return `The END of "${passing.label}" was only read in what the agent printed, while it went on: nothing shows what was there by then. For \`refloat op end\` it waits.`;
  const rest = needsWord(view);
  const unseen = rest.map(whyUnseen).find((why) => why !== null) ?? references.unfollowed[0] ?? null;
  if (closingOf(view, rest) !== null) return unseen === null ? WHOLE_UNKNOWN : `${capitalized(unseen)}.`;
  const unsaid = unsaidOf(view, rest.length > 0 ? rest : members);
  return unseen === null ? `${unsaid}.` : `${unsaid}; ${unseen}.`;
}

const WHOLE_UNKNOWN = "Nothing speaks against it, and nothing shows that it is whole.";

/** Who did not say that it is done, as far as the records tell. */
function unsaidOf({ facts }: GroupView, members: readonly GroupMember[]): string {
  const what = naming(members.length, members[0]?.path ?? "it", "is done", "are done");
  const isOwn = members.every(({ fact }) => fact.owner.owner === "session");
  const turn = isOwn ? facts.turns.at(-1) : undefined;
  return `${turn === undefined ? "Nobody said" : SAID[outcomeOf(turn)]} that ${what}`;
}

const outcomeOf = ({ outcome }: TurnFact): keyof typeof SAID => outcome ?? "interrupted";

const SAID = {
  completed: "Nobody said",
  interrupted: "Its agent was cut off before it said",
  cancelled: "Its agent was stopped before it said",
  failed: "Its agent failed before it said",
} as const;

/** Why nothing of the workspace can show that it is sound; null: it could be. */
function whyUnseen({ path, after, change }: GroupMember): string | null {
  if (change.to === null) return null;
  if (change.to.kind !== "file") return `${path} is a ${change.to.kind}`;
  if (after?.isBinary) return `${path} is binary`;
  return notLookedFor(path) ?? (after?.parse.kind === "unparsed" ? `${path} is ${after.parse.why}` : null);
}

function evidenceOf(member: GroupMember): string {
  const why = unlookedWhy(member.after) ?? whyUnseen(member);
  return why === null || why.startsWith(member.path) ? (why ?? member.path) : `${member.path}: ${why}`;
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
