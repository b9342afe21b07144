/**
 * The validator's rules as a table: docs/state-file.md is drawn from it, every finding names its row. The rows
 * without a `check` are found while reading and by the definition (validate.ts); the others look at one document
 * that has passed that. Error: the schema is broken or a command would go wrong. All else is a warning.
 */
import type { StateRule } from "./rule.ts";
import { budgetRule, handoffRule, missingArtifactRule, noHandoffRule } from "./rules-files.ts";
import { lockMismatchRule, noClaimRule, staleClaimRule, storeClaimRule } from "./rules-holders.ts";
import { decisionDiffersRule, logMissingRule, logStrangeRule } from "./rules-log.ts";
import {
  auditKeyRule,
  decisionIdRule,
  decisionStepRule,
  decisionTimeRule,
  noLockRule,
  oldVersionFieldsRule,
  oldVersionRule,
  stepMissingRule,
  unknownFieldRule,
} from "./rules-shape.ts";
import {
  currentStepRule,
  dateOrderRule,
  dateRule,
  gapRule,
  neverRunRule,
  subStepRule,
  timesRule,
} from "./rules-steps.ts";

export const RULES = [
  {
    id: "unreadable",
    severity: "error",
    about: "The file cannot be read.",
    command: "refloat state repair {file}",
  },
  {
    id: "not-json",
    severity: "error",
    about: "The file is not JSON: cut off, empty, or damaged by an edit.",
    command: "refloat state repair {file}",
  },
  {
    id: "version",
    severity: "error",
    about: "`schema_version` is not 1.0, 2.0 or 3.0.",
    command: "refloat state repair {file}",
  },
  {
    id: "missing-field",
    severity: "error",
    about: "A field that every version needs is not there.",
    command: "refloat state repair {file}",
  },
  {
    id: "bad-value",
    severity: "error",
    about: "A field has a value of the wrong kind, or none of those allowed.",
    command: "refloat state repair {file}",
  },
  stepMissingRule,
  auditKeyRule,
  oldVersionRule,
  unknownFieldRule,
  noLockRule,
  noClaimRule,
  oldVersionFieldsRule,
  decisionTimeRule,
  decisionIdRule,
  decisionStepRule,
  logMissingRule,
  logStrangeRule,
  decisionDiffersRule,
  timesRule,
  neverRunRule,
  dateRule,
  dateOrderRule,
  subStepRule,
  currentStepRule,
  gapRule,
  budgetRule,
  missingArtifactRule,
  noHandoffRule,
  handoffRule,
  staleClaimRule,
  lockMismatchRule,
  storeClaimRule,
] as const satisfies readonly StateRule[];

export type RuleId = (typeof RULES)[number]["id"];
