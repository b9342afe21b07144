/** A row of the judge's table (rules.ts): one small file each in rules/. */
import type { AllChanges } from "./all-changes.ts";
import type { CallFact, OperationFact, TriageFacts } from "./facts.ts";
import type { LockFinding } from "./locks.ts";
import type { Member } from "./member.ts";
import type { OldNames } from "./old-names.ts";
import type { PathClasses } from "./paths.ts";
import type { ReferenceFindings } from "./references/check-references.ts";
import type { UnseenCalls } from "./references/unseen-calls.ts";
import type { WrongCall } from "./references/wrong-calls.ts";
import type { Stray } from "./strays.ts";
import type { Undeclared } from "./undeclared-python.ts";
import type { Described } from "./workflow-records.ts";

/** A group as the rules see it: everything was looked up before, so that a rule only decides. */
export interface GroupView {
  readonly id: string;
  readonly members: readonly Member[];
  readonly operations: readonly OperationFact[];
  readonly calls: ReadonlyMap<string, CallFact>;
  readonly facts: TriageFacts;
  readonly all: AllChanges;
  readonly classes: PathClasses;
  readonly references: ReferenceFindings;
  readonly locks: readonly LockFinding[];
  /** What a path is at HEAD. */
  readonly atHead: (path: string) => "file" | "folder" | null;
  /** Files of the group that the group refers to, or that a manifest names. */
  readonly taken: readonly string[];
  /** New files that are copies of one that is still there. */
  readonly copies: readonly { readonly member: Member; readonly of: string }[];
  /** New files where another change looks for one that is nowhere. */
  readonly strays: readonly Stray[];
  /** Moved files that unchanged ones still name by their old path. Null: none. */
  readonly oldNames: OldNames | null;
  /** Members that came to be called and that nothing has. */
  readonly unseenCalls: readonly UnseenCalls[];
  /** Calls that came to give something other than what is taken. */
  readonly wrongCalls: readonly WrongCall[];
  /** Packages that are imported and that no manifest names. */
  readonly undeclared: readonly Undeclared[];
  /** Changes of other groups that a workflow's record of this one tells of. */
  readonly described: readonly Described[];
}

export interface Found {
  /** One plain sentence. */
  readonly message: string;
  readonly evidence: readonly string[];
  /** What it is about: path rules can switch a rule off for these. */
  readonly members: readonly Member[];
}

export interface Rule {
  readonly slug: string;
  /** `risky`: it alone makes the group risky. `note`: it keeps work from counting as sound. `safe`: evidence for safe. */
  readonly weight: "risky" | "note" | "safe";
  /** When it speaks, in one sentence. */
  readonly about: string;
  /** Its numbers and places, for docs/triage.md. */
  readonly detail?: string;
  readonly globs?: readonly string[];
  /** For `safe`, the members are those it vouches for. */
  readonly check: (view: GroupView) => readonly Found[];
}

/** Shown in one message; the evidence of more says nothing new. */
const MAX_EVIDENCE = 20;

export function found(message: string, members: readonly Member[], evidence: readonly string[]): Found {
  const more = evidence.length - MAX_EVIDENCE;
  const shown = more > 0 ? [...evidence.slice(0, MAX_EVIDENCE), `and ${more} more`] : evidence;
  return { message, members, evidence: shown };
}

/** One finding about every member that the test picks; none: no finding. */
export function aboutEach(
  view: GroupView,
  pick: (member: Member) => string | null,
  message: (count: number, first: string) => string,
): Found[] {
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
