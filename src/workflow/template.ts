/** A new state file, made from the same step list as everything else. */
import type { Json, JsonObject } from "../model/json.ts";
import { DEFAULT_STALE_THRESHOLD_MS, schemaId, type Version } from "./definition.ts";
import type { Rank } from "./rewrite-json.ts";
import { keysOf, type StepSpec, type WorkflowShape } from "./step-list.ts";

export const FREE_LOCK: JsonObject = { owner_id: null, heartbeat: null, attempt_token: null, acquired: null };

export const freeClaim = (): JsonObject => ({
  owner_id: null,
  heartbeat: null,
  attempt_token: null,
  retry_count: 0,
  event_log: [],
});

const AUDIT: JsonObject = {
  complexity: "",
  passes_planned: 0,
  passes_executed: 0,
  skipped: [],
  skip_reasons: [],
  models_used: [],
};

export interface TemplateFacts {
  readonly project: string;
  readonly branch: string;
  readonly region: string;
  readonly updated: string;
}

export function templateOf(shape: WorkflowShape, version: Version, facts: TemplateFacts): JsonObject {
  const spelled = (spec: StepSpec): string => keyFor(spec, version);
  const decided: Record<string, Json> = Object.fromEntries(shape.decisions.map((name) => [name, ""]));
  if ("region" in decided) decided.region = facts.region;
  return {
    $schema: schemaId(version),
    schema_version: version,
    project: facts.project,
    iac_tool: "",
    region: facts.region,
    branch: facts.branch,
    updated: facts.updated,
    current_step: 0,
    ...(version === "2.0" ? { stale_threshold_ms: DEFAULT_STALE_THRESHOLD_MS, lock: FREE_LOCK } : {}),
    decisions: { ...decided, complexity: "" },
    open_findings: [],
    decision_log: [],
    review_audit: Object.fromEntries(
      shape.steps.filter(isReviewed).map((spec) => [`step_${spelled(spec)}`, AUDIT]),
    ),
    steps: Object.fromEntries(shape.steps.map((spec) => [spelled(spec), freshStep(spec, version)])),
  };
}

/** In the original list steps 3 and 7 have no review passes. */
const isReviewed = ({ id }: StepSpec): boolean => id !== "3" && id !== "7";

export function keyFor(spec: StepSpec, version: Version): string {
  const [plain = spec.id, underscored] = keysOf(spec);
  return version === "3.0" ? (underscored ?? plain) : plain;
}

export function freshStep(spec: StepSpec, version: Version): JsonObject {
  return {
    name: spec.name,
    agent: spec.agent,
    status: "pending",
    sub_step: null,
    started: null,
    completed: null,
    artifacts: [],
    context_files_used: [],
    ...(version === "2.0" ? { claim: freeClaim() } : {}),
  };
}

/** Where a new name goes in a state file: as in the published templates, steps by number. */
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
