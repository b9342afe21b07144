/**
 * A state of which no copy is left, from what still tells of it: the companion's words and ticks, and the files that steps
 * make. On a fresh template; what does not fit the schema costs itself, not the rest. Pure.
 */
import type { Json, JsonObject } from "../model/json.ts";
import { decisionsIn, stepKey, writtenDecision } from "./decision-log.ts";
import { HANDOFF_FILE, type StepStatus } from "./definition.ts";
import type { HandoffFacts } from "./read-handoff.ts";
import { isSound } from "./repair.ts";
import type { SubjectSurroundings } from "./rule.ts";
import {
  isFinished,
  listOf,
  objectOf,
  own,
  stepsIn,
  textOf,
  withFields,
  withoutKeys,
  withStep,
} from "./state-doc.ts";

export interface StepEvidence {
  readonly key: string;
  /** Files of the folder that have the beginnings of the step's. */
  readonly artifacts: readonly string[];
  /** What the companion calls it; null: it says nothing of it. */
  readonly said: StepStatus | null;
  /** The times of its oldest and newest artifact. */
  readonly firstAt: string | null;
  readonly lastAt: string | null;
}

/** The progress that the companion's ticks and the files of the folder are evidence of, on a fresh template. */
export function rebuiltFrom(template: JsonObject, evidence: readonly StepEvidence[]): JsonObject {
  const steps = objectOf(own(template, "steps"));
  const isBegun = ({ said, artifacts }: StepEvidence): boolean =>
    artifacts.length > 0 || (said !== null && said !== "pending");
  const last = evidence.findLastIndex(isBegun);
  const rebuilt = evidence.map((one, i): [string, JsonObject] => {
    const { key, artifacts, said, firstAt, lastAt } = one;
    const body = objectOf(own(steps, key));
    if (!isBegun(one)) return [key, body];
    // Its files are there and a later step's too: it was finished. The last one may have been cut off.
    const status = said !== null && said !== "pending" ? said : i < last ? "complete" : "in_progress";
    const completed = isFinished(status) ? lastAt : null;
    return [key, withFields(body, { status, started: firstAt, completed, artifacts })];
  });
  return withFields(template, { steps: withFields(steps, Object.fromEntries(rebuilt)) });
}

/** What else the companion says: names, decisions, findings, artifacts, how far inside a step the work was. */
export function withHandoff(doc: JsonObject, said: HandoffFacts, around: SubjectSurroundings): JsonObject {
  let next = doc;
  const lay = (changed: JsonObject): void => {
    if (isSound(changed, around)) next = changed;
  };
  const { project, iacTool, branch, decisions, findings, checkpoint } = said;
  for (const [name, value] of Object.entries({ project, iac_tool: iacTool, branch }))
    if (value !== null) lay(withFields(next, { [name]: value }));
  if (findings.length > 0) lay(withFields(next, { open_findings: [...findings] }));
  for (const { key, value, step } of decisions) {
    if (step !== null) lay(withLogged(next, step, key, value));
    else lay(withFields(next, { decisions: withFields(objectOf(own(next, "decisions")), { [key]: value }) }));
  }
  for (const { step, artifacts } of said.steps) {
    const view = stepsIn(next, around.shape).find(({ spec }) => spec.id === step);
    if (!view?.isThere) continue;
    const all = [...new Set([...artifacts, ...(listOf(own(view.body, "artifacts")) as readonly string[])])];
    const subStep = checkpoint?.step === step && view.status === "in_progress" ? checkpoint.name : null;
    lay(withStep(next, view.key, withFields(view.body, { artifacts: all, sub_step: subStep })));
    // Its files are not here, but it was run: without a word of that it would be one that never was.
    const isOnlySaid = view.status === "complete" && textOf(own(view.body, "started")) === null;
    const isLogged = decisionsIn(next).some((one) => one?.key === stepKey(step));
    if (isOnlySaid && !isLogged) lay(withLogged(next, step, stepKey(step), "complete"));
  }
  return next;
}

/** When it was made nobody knows any more; where it comes from is its reason. */
function withLogged(doc: JsonObject, step: string, key: string, value: Json): JsonObject {
  const log = listOf(own(doc, "decision_log"));
  const reason = `from ${HANDOFF_FILE}: the state file was lost`;
  const entry = writtenDecision(log, { step, key, value, reason, timestamp: "" });
  return withFields(doc, { decision_log: [...log, withoutKeys(entry, ["timestamp"])] });
}
