/**
 * What `step` and `decide` do to the document: pure, one function per order, refusals as values. The resume rules
 * are the original's: pending starts; in progress without a checkpoint starts again; with one it goes on behind it;
 * complete and skipped are not started again unless they are reset.
 */
import type { Json, JsonObject } from "../model/json.ts";
import { nearestWord } from "../text/nearest-word.ts";
import { alsoAtTop, stepKey, writtenDecision } from "./decision-log.ts";
import { ON_DEMAND, type StepStatus } from "./definition.ts";
import {
  filesAtStart,
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
  withoutKeys,
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
  | { readonly kind: "restart"; readonly since: string | null }
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
  /** ` --file PATH` where the file had to be named: what is printed can be typed as it stands (T6). */
  readonly named?: string;
}

export function decideStep(facts: StepFacts, order: StepOrder): Transition {
  const { step } = facts;
  const at = stamp(facts.nowMs);
  const id = step.spec.id;
  const decision = (value: string): LoggedDecision => ({
    step: id,
    key: stepKey(id),
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
      if (step.status !== "in_progress") return notAtWork(facts);
      return explained(checkpoint(facts, order.name), order.name);
    case "done":
      if (isFinished(step.status)) return finishedAlready(facts);
      if (step.status !== "in_progress") return notAtWork(facts);
      return explained(changed(facts, { status: "complete", completed: at, sub_step: null }), "complete");
    case "skip": {
      if (isFinished(step.status)) return finishedAlready(facts);
      // What was begun was begun; times of a run before this one are not this one's.
      const started = step.status === "in_progress" ? textOf(own(step.body, "started")) : null;
      const fields = { status: "skipped", sub_step: null, started, completed: null };
      return logged(changed(facts, fields), decision("skipped"));
    }
    case "reset":
      if (step.status === "pending")
        return refused("is pending already", `Start it: \`refloat step start ${id}${facts.named ?? ""}\`.`);
      return logged(
        changed(facts, { status: "pending", sub_step: null, started: null, completed: null }, "anew"),
        decision("reset"),
      );
    default:
      return order satisfies never;
  }
}

function start(facts: StepFacts): Transition {
  const { doc, shape, step, nowMs } = facts;
  const { spec, status, body } = step;
  if (isFinished(status)) return finishedAlready(facts);
  const subStep = textOf(own(body, "sub_step"));
  const began = textOf(own(body, "started"));
  const isResumed = status === "in_progress" && subStep !== null;
  const resume: Resume = isResumed
    ? { kind: "after", subStep, alreadyRead: textsOf(own(body, "context_files_used")) }
    : status === "in_progress"
      ? { kind: "restart", since: began }
      : { kind: "fresh" };
  // From its beginning: the times and the files of a run that left nothing behind are not this one's.
  const fields = {
    status: "in_progress" satisfies StepStatus,
    started: isResumed && began !== null ? began : stamp(nowMs),
    completed: null,
    ...(isResumed ? {} : { sub_step: null }),
  };
  const next = changed(facts, fields, isResumed ? "on" : "anew");
  if (next.kind === "refused") return next;
  const earlier = stepsIn(doc, shape).slice(
    0,
    shape.steps.findIndex(({ id }) => id === spec.id),
  );
  const warnings = earlier
    .filter(isOpen)
    .map((one) => `Step ${one.spec.id} (${one.spec.name}) before it is ${one.status ?? "missing"}.`);
  return { ...next, resume, warnings: [...warnings, ...next.warnings, ...overBudget(next.doc, facts)] };
}

/** Said once, by the order that loads them: what a step reads later, as it needs it, is no load at its start. */
function overBudget(doc: JsonObject, { shape, step, extras }: StepFacts): string[] {
  const { spec } = step;
  const body = stepsIn(doc, shape).find((one) => one.spec.id === spec.id)?.body;
  const count = filesAtStart(body).length;
  if (extras.contextFiles.length === 0 || count <= spec.budget) return [];
  return [`Step ${spec.id} has loaded ${count} files; its budget is ${spec.budget}.`];
}

/** Any name is taken: the list is what others expect. One that is not on it, or lies further back, is said. */
function checkpoint(facts: StepFacts, name: string): Transition {
  const { spec, body } = facts.step;
  const next = changed(facts, { sub_step: name });
  if (next.kind === "refused" || spec.subSteps.length === 0) return next;
  const was = textOf(own(body, "sub_step")) ?? "";
  const [from, to] = [spec.subSteps.indexOf(was), spec.subSteps.indexOf(name)];
  const near = to === -1 ? nearestWord(name, spec.subSteps) : null;
  const warning =
    to === -1
      ? `${name} is no part of step ${spec.id}, which has ${spec.subSteps.join(", ")}.${near === null ? "" : ` Did you mean ${near}?`}`
      : from > to
        ? `${name} lies before ${was}, where step ${spec.id} was: what comes after ${name} is to be done again.`
        : null;
  return warning === null ? next : { ...next, warnings: [...next.warnings, warning] };
}

/** Neither finished nor absent by right. */
const isOpen = ({ status, isThere, spec }: StepView): boolean =>
  !isFinished(status) && (isThere || !spec.isOptional);

/** Where the work goes on: the first open step behind this one, else the first of the others. */
export function nextStep(doc: JsonObject, shape: WorkflowShape, id: string): StepView | null {
  const steps = stepsIn(doc, shape);
  const behind = steps.slice(steps.findIndex(({ spec }) => spec.id === id) + 1);
  return behind.find(isOpen) ?? steps.find((step) => isOpen(step) && step.spec.id !== id) ?? null;
}

/** "complete: step already done, move to next", and if it was never run: the reset. */
function finishedAlready({ doc, shape, step, named = "" }: StepFacts): Transition {
  const { id } = step.spec;
  const next = nextStep(doc, shape, id);
  const on = next
    ? `Next is step ${next.spec.id} (${next.spec.name}): \`refloat step start ${next.spec.id}${named}\`.`
    : "No step is left.";
  const again = `Was it never run, or is it to be run again: \`refloat step reset ${id}${named} --reason WHY\`, then start it.`;
  return refused(step.status === "skipped" ? "was skipped" : "is complete already", `${on} ${again}`);
}

const refused = (why: string, instead: string): Transition => ({ kind: "refused", why, instead });
function notAtWork(facts: StepFacts): Transition {
  const { spec, status } = facts.step;
  // Starting it would be refused, too.
  if (isFinished(status)) return finishedAlready(facts);
  return refused(
    `is ${status ?? "not in the file"}, not at work`,
    `Start it: \`refloat step start ${spec.id}${facts.named ?? ""}\`.`,
  );
}

function changed(
  { doc, shape, step, extras, nowMs }: StepFacts,
  fields: JsonObject,
  how: "on" | "anew" = "on",
): Transition {
  const { spec, key, body, isThere } = step;
  const version = own(doc, "schema_version") === "3.0" ? "3.0" : "2.0";
  const base = isThere ? body : freshStep(spec, version);
  const isStart = fields.status === "in_progress";
  const next = withFields(withoutKeys(base, how === "anew" ? [ON_DEMAND] : []), {
    ...fields,
    artifacts: added(own(base, "artifacts"), extras.artifacts),
    ...contextFiles(how === "anew" ? {} : base, extras.contextFiles, isStart),
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
  return { kind: "changed", doc: withCurrentStep(whole, shape), resume: { kind: "fresh" }, warnings: [] };
}

/** All that was read, for whoever goes on; apart from it what was read later than at the start (progressive disclosure). */
function contextFiles(body: JsonObject, more: readonly string[], isStart: boolean): JsonObject {
  const used = textsOf(own(body, "context_files_used"));
  const later = isStart ? [] : more.filter((path) => !used.includes(path));
  return {
    context_files_used: added(used, more),
    ...(later.length === 0 ? {} : { [ON_DEMAND]: added(own(body, ON_DEMAND), later) }),
  };
}

/** A list grows by what is not in it yet. */
const added = (list: unknown, more: readonly string[]): string[] => [...new Set([...textsOf(list), ...more])];

interface LoggedDecision {
  readonly step: string | null;
  readonly key: string;
  readonly value: Json;
  readonly reason: string | null;
  readonly timestamp: string;
}

function logged(transition: Transition, decision: LoggedDecision): Transition {
  return transition.kind === "refused"
    ? transition
    : { ...transition, doc: withDecision(transition.doc, decision) };
}

/** Added to the log, in the one form that is written. */
function withDecision(doc: JsonObject, decision: LoggedDecision): JsonObject {
  const log = listOf(own(doc, "decision_log"));
  return withFields(doc, {
    decision_log: [...log, writtenDecision(log, decision)],
    updated: decision.timestamp,
  });
}

/** A decision sets its key and is logged with it, in one change. */
export function decided(doc: JsonObject, decision: LoggedDecision): JsonObject {
  const { key, value } = decision;
  const decisions = withFields(objectOf(own(doc, "decisions")), { [key]: value });
  return withDecision(withFields(doc, { decisions, ...alsoAtTop(key, value) }), decision);
}
