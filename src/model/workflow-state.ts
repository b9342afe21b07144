/**
 * What a workflow's state file is known by, whatever its name: the fields every version has, and statuses that are ours.
 * The whole schema is `src/workflow/definition.ts`; this much tells the file from any other, also where the step list is a
 * user's own.
 */
import { isJsonObject } from "./json.ts";

export const STATE_FILE = "00-session-state.json";
export const HANDOFF_FILE = "00-handoff.md";
export const VERSIONS = ["1.0", "2.0", "3.0"] as const;
export type Version = (typeof VERSIONS)[number];
export const STATUSES = ["pending", "in_progress", "complete", "skipped"] as const;
export type StepStatus = (typeof STATUSES)[number];

export function isStateDocument(value: unknown): boolean {
  if (!isJsonObject(value) || !VERSIONS.some((version) => version === value.schema_version)) return false;
  const { project, current_step, decisions, steps } = value;
  if (typeof project !== "string" || typeof current_step !== "number" || !isJsonObject(decisions))
    return false;
  const bodies = isJsonObject(steps) ? Object.values(steps) : [];
  return (
    bodies.length > 0 &&
    bodies.every((body) => isJsonObject(body) && STATUSES.some((status) => status === body.status))
  );
}

/** 00-handoff.md as it is written beside the file (handoff-text.ts in workflow/): its title, and the first and last of its sections. */
export const isCompanionText = (text: string): boolean =>
  /^# .*Handoff \(Step \d/.test(text) &&
  /^## Completed Steps *$/m.test(text) &&
  /^## Artifacts *$/m.test(text);
