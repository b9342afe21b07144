/** A row of the judge's table (table.ts), and how it says what it found. */
import type { GroupMember } from "../facts/member.ts";
import type { GroupView } from "./evidence/group-view.ts";

export interface RuleFinding {
  /** One plain sentence. */
  readonly message: string;
  readonly evidence: readonly string[];
  /** What it is about: path rules can switch a rule off for these. */
  readonly members: readonly GroupMember[];
}

interface RuleRow {
  readonly slug: string;
  /** When it speaks, in one sentence. */
  readonly about: string;
  /** Its numbers and places, for docs/triage-rules.md. */
  readonly detail?: string;
  readonly globs?: readonly string[];
  /** What a person can do about it, in a few words; none: the finding says it, or there is nothing to be done. */
  readonly remedy?: string;
  /** For `safe`, the members are those it vouches for. */
  readonly check: (view: GroupView) => readonly RuleFinding[];
}

/** It alone makes the group risky. */
export interface RiskyRule extends RuleRow {
  readonly weight: "risky";
  /** It says: this was begun and never ended. */
  readonly isUnfinished?: true;
}

/** It keeps work from counting as sound. */
export interface NoteRule extends RuleRow {
  readonly weight: "note";
  /**
   * What does not count for what it speaks of. `word`: the agent's. `check`: the user's check, too: it passes on half a file as
   * well as on a whole one, as long as nothing it runs needs the other half. `all`: also what the bytes show by themselves.
   * A doubt that voids the word alone a check answers, of work that somebody said is done (DESIGN 8): it is the witness that
   * was missing.
   */
  readonly voids: "word" | "check" | "all";
  /** A doubt about the end alone: the bytes of a journal or a record answer it. */
  readonly isOfEnd?: true;
  /** It quotes what somebody said: whoever shows it takes secrets out and cuts it (T4). */
  readonly isQuoting?: true;
}

/** Evidence for safe. */
export interface SafeRule extends RuleRow {
  readonly weight: "safe";
  /** Whose evidence it is: what a note voids. */
  readonly restsOn: "word" | "check" | "bytes";
}

export type Rule = RiskyRule | NoteRule | SafeRule;

/** Shown in one message; the evidence of more says nothing new. */
const MAX_EVIDENCE = 20;

export function found(
  message: string,
  members: readonly GroupMember[],
  evidence: readonly string[],
): RuleFinding {
  const more = evidence.length - MAX_EVIDENCE;
  const shown = more > 0 ? [...evidence.slice(0, MAX_EVIDENCE), `and ${more} more`] : evidence;
  return { message, members, evidence: shown };
}

/** One finding about every member that the test picks; none: no finding. */
export function aboutEach(
  view: GroupView,
  pick: (member: GroupMember) => string | null,
  message: (count: number, first: string) => string,
): RuleFinding[] {
  const picked = view.members.flatMap((member) => {
    const evidence = pick(member);
    return evidence === null ? [] : [{ member, evidence }];
  });
  const [first] = picked;
  if (!first) return [];
  return [
    found(
      message(picked.length, first.member.path),
      picked.map(({ member }) => member),
      picked.map(({ evidence }) => evidence),
    ),
  ];
}

/** "a.js" or "a.js and 3 more", with what is said of it where one and several are spoken of differently. */
export function naming(count: number, first: string, one?: string, several?: string): string {
  const who = count === 1 ? first : `${first} and ${count - 1} more`;
  const said = count === 1 ? one : several;
  return said === undefined ? who : `${who} ${said}`;
}
