/** The judge's table, the worst first. docs/triage.md is made from it. */

import { appendOnlyRule } from "./append-only.ts";
import { binaryRule } from "./binary.ts";
import { checkFailedRule } from "./check-failed.ts";
import { closedAndSoundRule } from "./closed-and-sound.ts";
import { configRule } from "./config.ts";
import { conflictMarkerRule } from "./conflict-marker.ts";
import { deletionRule } from "./deletion.ts";
import { describesUnreadyRule } from "./describes-unready.ts";
import { downgradeRule } from "./downgrade.ts";
import { halfMovedRule } from "./half-moved.ts";
import { hiddenFromGitRule } from "./hidden-from-git.ts";
import { judgeChangedRule } from "./judge-changed.ts";
import { lockfileRule } from "./lockfile.ts";
import { looseNamesRule } from "./loose-names.ts";
import { missingExportRule } from "./missing-export.ts";
import { missingFileRule } from "./missing-file.ts";
import { modeChangeRule } from "./mode-change.ts";
import { noEvidenceRule } from "./no-evidence.ts";
import { notLookedIntoRule } from "./not-looked-into.ts";
import { openCallRule } from "./open-call.ts";
import { openEndRule } from "./open-end.ts";
import { openOperationRule } from "./open-operation.ts";
import { parseRule } from "./parse.ts";
import { partialSyncRule } from "./partial-sync.ts";
import { recordUpdateRule } from "./record-update.ts";
import { rewriteRule } from "./rewrite.ts";
import type { NoteRule, RiskyRule, SafeRule } from "./rule.ts";
import { secretRule } from "./secret.ts";
import { truncatedRule } from "./truncated.ts";
import { typeChangeRule } from "./type-change.ts";
import { undeclaredPackageRule } from "./undeclared-package.ts";
import { unfinishedRule } from "./unfinished.ts";
import { unmetOperationRule } from "./unmet-operation.ts";
import { unseenCallRule } from "./unseen-call.ts";
import { unseenNameRule } from "./unseen-name.ts";
import { unusedFileRule } from "./unused-file.ts";
import { verifiedRule } from "./verified.ts";
import { workRemainsRule } from "./work-remains.ts";
import { doubtfulArgumentsRule, wrongArgumentsRule } from "./wrong-arguments.ts";

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
  undeclaredPackageRule,
  unmetOperationRule,
  hiddenFromGitRule,
  describesUnreadyRule,
];

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
