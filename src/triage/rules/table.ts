/**
 * The judge's table, the worst first. docs/triage.md is made from it. A new rule is a row in the file of what it looks at
 * (contents, ends, manifests, migrations, moves, operations, paths, records, references, words) and a place in one of these lists; what it
 * needs looked up for it is in evidence/group-view.ts.
 */

import {
  conflictMarkerRule,
  notLookedIntoRule,
  parseRule,
  rewriteRule,
  secretRule,
  truncatedRule,
  unfinishedRule,
} from "./contents.ts";
import { openEndRule } from "./ends.ts";
import { downgradeRule, lockfileRule, undeclaredPackageRule } from "./manifests.ts";
import { unmigratedModelRule, unmodelledMigrationRule } from "./migrations.ts";
import { deletionRule, halfMovedRule, unusedFileRule } from "./moves.ts";
import { openCallRule, openOperationRule, partialSyncRule, unmetOperationRule } from "./operations.ts";
import {
  binaryRule,
  configRule,
  hiddenFromGitRule,
  judgeChangedRule,
  modeChangeRule,
  typeChangeRule,
} from "./paths.ts";
import { appendOnlyRule, describesUnreadyRule, recordUpdateRule } from "./records.ts";
import {
  doubtfulArgumentsRule,
  looseNamesRule,
  missingExportRule,
  missingFileRule,
  unseenCallRule,
  unseenNameRule,
  wrongArgumentsRule,
} from "./references.ts";
import type { NoteRule, RiskyRule, SafeRule } from "./rule.ts";
import {
  checkFailedRule,
  closedAndSoundRule,
  noEvidenceRule,
  openPlanRule,
  verifiedRule,
  workRemainsRule,
} from "./words.ts";

export const RISKY_RULES: readonly RiskyRule[] = [
  openOperationRule,
  openCallRule,
  secretRule,
  judgeChangedRule,
  conflictMarkerRule,
  parseRule,
  truncatedRule,
  missingFileRule,
  missingExportRule,
  wrongArgumentsRule,
  typeChangeRule,
  modeChangeRule,
  deletionRule,
  downgradeRule,
  partialSyncRule,
  lockfileRule,
  rewriteRule,
  configRule,
  binaryRule,
];

/** What keeps work from counting as sound: evidence of nothing, and no evidence for safe (J1). */
export const NOTE_RULES: readonly NoteRule[] = [
  checkFailedRule,
  workRemainsRule,
  openPlanRule,
  noEvidenceRule,
  notLookedIntoRule,
  unfinishedRule,
  looseNamesRule,
  unseenNameRule,
  unseenCallRule,
  doubtfulArgumentsRule,
  openEndRule,
  halfMovedRule,
  unusedFileRule,
  unmigratedModelRule,
  unmodelledMigrationRule,
  undeclaredPackageRule,
  unmetOperationRule,
  hiddenFromGitRule,
  describesUnreadyRule,
];

/** Doubts that a check answers where somebody said that the work is done: those that take away the agent's word alone (rule.ts). */
export const ANSWERED_BY_CHECK: readonly string[] = NOTE_RULES.filter(({ voids }) => voids === "word").map(
  ({ slug }) => slug,
);

export const SAFE_RULES: readonly SafeRule[] = [
  verifiedRule,
  appendOnlyRule,
  recordUpdateRule,
  closedAndSoundRule,
];

/** Reasons that no rule of the table gives, and that nobody switches off. */
export const BESIDE = {
  moving: {
    slug: "moving",
    about: "A live agent or a leftover of it may still write it: unknown, whatever else is said (J5).",
  },
  gap: {
    slug: "gap",
    about: "Something of it is not held whole or was not looked at: nothing makes it safe (J4).",
  },
  override: { slug: "override", about: "`refloat judge` said so, of these bytes." },
  pathRule: { slug: "path-rule", about: "A rule of `refloat.json` says so, of these paths." },
  notChecked: {
    slug: "not-checked",
    about: "A check is trusted and was not run on this very content: no word makes it safe (S7).",
  },
  recurringWriter: {
    slug: "recurring-writer",
    about: "It becomes dirty again and again, and no session writes it. Speaks neither for nor against.",
  },
} as const;

/** What a row may declare, of whatever weight it is. */
type Declared = Partial<Omit<RiskyRule, "weight"> & Omit<NoteRule, "weight"> & Omit<SafeRule, "weight">>;

const ROWS: ReadonlyMap<string, Declared> = new Map(
  [...RISKY_RULES, ...NOTE_RULES, ...SAFE_RULES].map((rule) => [rule.slug, rule]),
);

/** What is asked of a reason's rule is asked of its row, never of its name. Nothing: the reason is one from beside the table. */
export const ruleOf = ({ rule }: { readonly rule: string }): Declared => ROWS.get(rule) ?? {};
