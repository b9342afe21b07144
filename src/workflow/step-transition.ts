/**
 * What `step` and `decide` do to the document: pure, one function per order, refusals as values. The resume rules
 * are the original's: pending starts; in progress without a checkpoint starts again; with one it goes on behind it;
 * complete and skipped are not started again unless they are reset.
 */
import type { Json, JsonObject } from "../model/json.ts";
import { writtenDecision } from "./decision-log.ts";
import { iacToolNamed, type StepStatus } from "./definition.ts";
import {
  isFinished,
  listOf,
  objectOf,
  own,
  type StepView,
  stamp,
  stepsIn,
  textOf,
  textsOf,
  withFields,
  withStep,
} from "./state-doc.ts";
import type { WorkflowShape } from "./step-list.ts";
import { freshStep, keyFor } from "./template.ts";
import { withCurrentStep } from "./tidy.ts";

export interface StepExtras {
  readonly artifacts: readonly string[];
  readonly contextFiles: readonly string[];
  readonly findings: readonly string[];
  readonly resolved: readonly string[];
}

export type StepOrder =
  | { readonly kind: "start"; readonly reason?: string | null }
  | { readonly kind: "sub"; readonly name: string; readonly reason?: string | null }
  | { readonly kind: "done"; readonly reason?: string | null }
  | { readonly kind: "skip"; readonly reason: string | null }
  | { readonly kind: "reset"; readonly reason: string | null };

export type Resume =
  | { readonly kind: "fresh" }
  | { readonly kind: "restart" }
  | { readonly kind: "after"; readonly subStep: string; readonly alreadyRead: readonly string[] };

export type Transition =
  | {
      readonly kind: "changed";
      readonly doc: JsonObject;
      readonly resume: Resume;
      readonly warnings: readonly string[];
    }
  | { readonly kind: "refused"; readonly why: string; readonly instead: string };

/** The document, the step of it that is meant, and what comes with the order. */
export interface StepFacts {
  readonly doc: JsonObject;
  readonly shape: WorkflowShape;
  readonly step: StepView;
  readonly extras: StepExtras;
  readonly nowMs: number;
}

export function decideStep(facts: StepFacts, order: StepOrder): Transition {
  const { step } = facts;
  const at = stamp(facts.nowMs);
  const id = step.spec.id;
  const decision = (value: string): Logged => ({
    step: id,
    key: `step_${id}`,
    value,
    reason: order.reason ?? null,
    timestamp: at,
  });
  /** Skipping and resetting are decisions; the rest is one only where somebody says why. */
  const explained = (next: Transition, value: string): Transition =>
    (order.reason ?? null) === null ? next : logged(next, decision(value));
  switch (order.kind) {
    case "start":
      return explained(start(facts), "started");
    case "sub":
      if (step.status !== "in_progress") return notAtWork(step);
      return explained(changed(facts, { sub_step: order.name }), order.name);
    case "done":
      if (isFinished(step.status))
        return refused(`is ${step.status} already`, `Reset it first: \`refloat step reset ${id}\`.`);
      if (step.status !== "in_progress") return notAtWork(step);
      return explained(changed(facts, { status: "complete", completed: at, sub_step: null }), "complete");
    case "skip":
      if (isFinished(step.status))
        return refused(`is ${step.status} already`, `Reset it first: \`refloat step reset ${id}\`.`);
      return logged(changed(facts, { status: "skipped", sub_step: null }), decision("skipped"));
    case "reset":
      if (step.status === "pending")
        return refused("is pending already", `Start it: \`refloat step start ${id}\`.`);
      return logged(
        changed(facts, { status: "pending", sub_step: null, started: null, completed: null }),
        decision("reset"),
      );
    default:
      return order satisfies never;
  }
}

function start(facts: StepFacts): Transition {
  const { doc, shape, step, nowMs } = facts;
  const { spec, status, body } = step;
  if (status === "complete")
    return refused("is complete", `To run it again: \`refloat step reset ${spec.id}\`, then start it.`);
  if (status === "skipped") {
    const steps = stepsIn(doc, shape);
    const next = steps
      .slice(steps.findIndex((one) => one.spec.id === spec.id) + 1)
      .find((one) => !isFinished(one.status));
    return refused(
      "was skipped",
      next ? `Next is step ${next.spec.id} (${next.spec.name}).` : "No step is left.",
    );
  }
  const subStep = textOf(own(body, "sub_step"));
  const isResumed = status === "in_progress" && subStep !== null;
  const resume: Resume = isResumed
    ? { kind: "after", subStep, alreadyRead: textsOf(own(body, "context_files_used")) }
    : { kind: status === "in_progress" ? "restart" : "fresh" };
  const fields = {
    status: "in_progress" satisfies StepStatus,
    started: textOf(own(body, "started")) ?? stamp(nowMs),
    completed: null,
    ...(isResumed ? {} : { sub_step: null }),
  };
  const next = changed(facts, fields);
  if (next.kind === "refused") return next;
  const earlier = stepsIn(doc, shape).slice(
    0,
    shape.steps.findIndex(({ id }) => id === spec.id),
  );
  const open = earlier.filter((one) => !isFinished(one.status) && (one.isThere || !one.spec.isOptional));
  const warnings = open.map(
    (one) => `Step ${one.spec.id} (${one.spec.name}) before it is ${one.status ?? "missing"}.`,
  );
  return { ...next, resume, warnings: [...warnings, ...next.warnings] };
}

const refused = (why: string, instead: string): Transition => ({ kind: "refused", why, instead });
const notAtWork = ({ spec, status }: StepView): Transition =>
  refused(`is ${status ?? "not in the file"}, not at work`, `Start it: \`refloat step start ${spec.id}\`.`);

function changed({ doc, shape, step, extras, nowMs }: StepFacts, fields: JsonObject): Transition {
  const { spec, key, body, isThere } = step;
  const version = own(doc, "schema_version") === "3.0" ? "3.0" : "2.0";
  const base = isThere ? body : freshStep(spec, version);
  const used = added(own(base, "context_files_used"), extras.contextFiles);
  const next = withFields(base, {
    ...fields,
    artifacts: added(own(base, "artifacts"), extras.artifacts),
    context_files_used: used,
  });
  const findings = added(own(doc, "open_findings"), extras.findings).filter(
    (one) => !extras.resolved.includes(one),
  );
  const whole = withFields(withStep(doc, isThere ? key : keyFor(spec, version), next), {
    updated: stamp(nowMs),
    open_findings: findings,
    current_step:
      fields.status === "in_progress" || fields.status === "complete"
        ? spec.number
        : own(doc, "current_step"),
  });
  const warnings =
    used.length > spec.budget
      ? [`Step ${spec.id} has loaded ${used.length} files; its budget is ${spec.budget}.`]
      : [];
  return { kind: "changed", doc: withCurrentStep(whole, shape), resume: { kind: "fresh" }, warnings };
}

/** A list grows by what is not in it yet. */
const added = (list: unknown, more: readonly string[]): string[] => [...new Set([...textsOf(list), ...more])];

interface Logged {
  readonly step: string | null;
  readonly key: string;
  readonly value: Json;
  readonly reason: string | null;
  readonly timestamp: string;
}

function logged(transition: Transition, decision: Logged): Transition {
  return transition.kind === "refused"
    ? transition
    : { ...transition, doc: withDecision(transition.doc, decision) };
}

/** Added to the log, in the one form that is written. */
function withDecision(doc: JsonObject, decision: Logged): JsonObject {
  const log = listOf(own(doc, "decision_log"));
  return withFields(doc, {
    decision_log: [...log, writtenDecision(log, decision)],
    updated: decision.timestamp,
  });
}

/** A decision sets its key and is logged with it, in one change. */
export function decided(doc: JsonObject, decision: Logged): JsonObject {
  const { key, value } = decision;
  const decisions = withFields(objectOf(own(doc, "decisions")), { [key]: value });
  return withDecision(withFields(doc, { decisions, ...alsoAtTop(key, value) }), decision);
}

/** Two places know these; they are never to differ, but for the spelling of a tool: the top of the file has only one. */
function alsoAtTop(key: string, value: Json): JsonObject {
  if (typeof value !== "string") return {};
  switch (key) {
    case "iac_tool":
      return { iac_tool: iacToolNamed(value) };
    case "region":
    case "primary_region":
      return { region: value };
    default:
      return {};
  }
}
