/** What a rule is given: a group with everything that was looked up about it. */
import type { Verdict } from "../../../model/manifest.ts";
import type { PathName } from "../../../model/path-name.ts";
import type { CallFact, OperationFact, TriageFacts } from "../../facts/known/triage-facts.ts";
import type { GroupMember } from "../../facts/member.ts";
import type { PathClasses } from "../../facts/paths/path-classes.ts";
import type { LockFinding, LoweredVersions } from "../../links/locks.ts";
import type { UnmigratedModel } from "../../links/migrations.ts";
import type { ModellessMigration } from "../../links/modelless.ts";
import type { OldNames } from "../../links/old-names.ts";
import type { ReferenceFindings } from "../../links/references/check-references.ts";
import type { Stray } from "../../links/references/strays.ts";
import type { UndeclaredImports } from "../../links/references/undeclared.ts";
import type { UnseenCalls } from "../../links/references/unseen-calls.ts";
import type { WrongCall } from "../../links/references/wrong-calls.ts";
import type { AllChanges } from "./all-changes.ts";

/** A group as the rules see it: everything was looked up before, so that a rule only decides. */
export interface GroupView {
  readonly id: string;
  readonly members: readonly GroupMember[];
  readonly operations: readonly OperationFact[];
  readonly calls: ReadonlyMap<string, CallFact>;
  readonly facts: TriageFacts;
  readonly all: AllChanges;
  readonly classes: PathClasses;
  readonly references: ReferenceFindings;
  readonly locks: readonly LockFinding[];
  /** Manifests in which versions went down. */
  readonly lowered: readonly LoweredVersions[];
  /** What a path is at HEAD. */
  readonly atHead: (path: string) => "file" | "folder" | null;
  /** Files of the group that the group refers to, or that a manifest names. */
  readonly taken: readonly string[];
  /** New files that are copies of one that is still there. */
  readonly copies: readonly { readonly member: GroupMember; readonly of: string }[];
  /** New files where another change looks for one that is nowhere. */
  readonly strays: readonly Stray[];
  /** Moved files that unchanged ones still name by their old path. Null: none. */
  readonly oldNames: OldNames | null;
  /** Members that came to be called and that nothing has. */
  readonly unseenCalls: readonly UnseenCalls[];
  /** Calls that came to give something other than what is taken. */
  readonly wrongCalls: readonly WrongCall[];
  /** Packages that are imported and that no manifest names. */
  readonly undeclared: readonly UndeclaredImports[];
  /** Models of it that changed without a migration. */
  readonly unmigrated: readonly UnmigratedModel[];
  /** One of another group of the same owner, where its bytes tell so. Null: none. */
  readonly besideUnmigrated: UnmigratedModel | null;
  /** New migrations that make a table for a model which nothing has. */
  readonly modelless: readonly ModellessMigration[];
  /** Changes of other groups that a workflow's record of this one tells of. */
  readonly described: readonly DescribedChange[];
}

/** A change that a record tells of: an artifact of a step. */
export interface DescribedChange {
  readonly path: PathName;
  readonly group: string;
  readonly verdict: Verdict;
  /** A commit of the record does not speak of what is not there: it is safe and goes with it, or HEAD has one and it is not the session's to give. */
  readonly isReady: boolean;
}
