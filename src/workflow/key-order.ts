/** Where a new name goes in a state file: as in the published templates, steps by number. */
import type { Rank } from "./rewrite-json.ts";

const ORDER = [
  "$schema",
  "schema_version",
  "project",
  "iac_tool",
  "region",
  "branch",
  "updated",
  "current_step",
  "stale_threshold_ms",
  "lock",
  "decisions",
  "open_findings",
  "decision_log",
  "review_audit",
  "steps",
  "refloat",
  "name",
  "agent",
  "status",
  "sub_step",
  "started",
  "completed",
  "artifacts",
  "context_files_used",
  "context_files_on_demand",
  "claim",
  "owner_id",
  "heartbeat",
  "heartbeat_every_ms",
  "attempt_token",
  "acquired",
  "retry_count",
  "event_log",
] as const;

const RANKS = new Map<string, number>(ORDER.map((key, i) => [key, i]));
const STEP = /^(?:step_)?(\d{1,3}(?:[._]\d{1,3})?)$/;

export const stateKeyRank: Rank = (key) => {
  const step = STEP.exec(key)?.[1];
  return step === undefined ? (RANKS.get(key) ?? null) : Number(step.replace("_", "."));
};
