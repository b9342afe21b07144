/** The judge's table, the worst first. docs/triage.md is made from it. */
import type { Rule } from "./rule.ts";
import { appendOnlyRule } from "./rules/append-only.ts";
import { binaryRule } from "./rules/binary.ts";
import { checkFailedRule } from "./rules/check-failed.ts";
import { closedAndSoundRule } from "./rules/closed-and-sound.ts";
import { configRule } from "./rules/config.ts";
import { conflictMarkerRule } from "./rules/conflict-marker.ts";
import { deletionRule } from "./rules/deletion.ts";
import { describesUnreadyRule } from "./rules/describes-unready.ts";
import { downgradeRule } from "./rules/downgrade.ts";
import { halfMovedRule } from "./rules/half-moved.ts";
import { hiddenFromGitRule } from "./rules/hidden-from-git.ts";
import { judgeChangedRule } from "./rules/judge-changed.ts";
import { lockfileRule } from "./rules/lockfile.ts";
import { looseNamesRule } from "./rules/loose-names.ts";
import { missingExportRule } from "./rules/missing-export.ts";
import { missingFileRule } from "./rules/missing-file.ts";
import { modeChangeRule } from "./rules/mode-change.ts";
import { noEvidenceRule } from "./rules/no-evidence.ts";
import { notLookedIntoRule } from "./rules/not-looked-into.ts";
import { openCallRule } from "./rules/open-call.ts";
import { openEndRule } from "./rules/open-end.ts";
import { openOperationRule } from "./rules/open-operation.ts";
import { parseRule } from "./rules/parse.ts";
import { partialSyncRule } from "./rules/partial-sync.ts";
import { recordUpdateRule } from "./rules/record-update.ts";
import { rewriteRule } from "./rules/rewrite.ts";
import { secretRule } from "./rules/secret.ts";
import { truncatedRule } from "./rules/truncated.ts";
import { typeChangeRule } from "./rules/type-change.ts";
import { undeclaredPackageRule } from "./rules/undeclared-package.ts";
import { unfinishedRule } from "./rules/unfinished.ts";
import { unmetOperationRule } from "./rules/unmet-operation.ts";
import { unseenCallRule } from "./rules/unseen-call.ts";
import { unseenNameRule } from "./rules/unseen-name.ts";
import { unusedFileRule } from "./rules/unused-file.ts";
import { verifiedRule } from "./rules/verified.ts";
import { workRemainsRule } from "./rules/work-remains.ts";
import { doubtfulArgumentsRule, wrongArgumentsRule } from "./rules/wrong-arguments.ts";

export const RISKY_RULES: readonly Rule[] = [
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
export const NOTE_RULES: readonly Rule[] = [
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

export const SAFE_RULES: readonly Rule[] = [
  verifiedRule,
  appendOnlyRule,
  recordUpdateRule,
  closedAndSoundRule,
];
