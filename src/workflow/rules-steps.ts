/** Rules about the course of the steps: times, checkpoints, the step at work, gaps. */
import { claimOwner, ownerOption } from "./claim-owner.ts";
import { stepKey } from "./decision-log.ts";
import { strangerAt } from "./holders.ts";
import type { Subject } from "./rule.ts";
import { ACCEPT, type FoundBreach, findEach, NOTHING_FOUND, type StateRule } from "./rule.ts";
import { isFinished, own, type StepView, textOf, textsOf, timeOf } from "./state-doc.ts";

/**
 * The order that does away with a finding about a step, as whoever reads it can give it (T6). Whoever has the step by name has to be
 * named. A session at work, and somebody at work by the file's word alone, are asked for nothing and robbed of nothing (K2): while
 * they have it, only a person can say that all is well.
 */
function orderOn(
  { spec }: StepView,
  order: string,
  { holders, claims }: Pick<Subject, "holders" | "claims">,
): string {
  const [verb, ...rest] = order.split(" ");
  const claim = claims?.get(spec.id);
  const stranger = strangerAt(holders, spec.id);
  const isHeld = claim?.isHeld === true && claim.owner !== null;
  if ((stranger && !stranger.isStale) || (isHeld && claim.isSession)) return ACCEPT;
  const owner = isHeld ? ownerOption(claimOwner(undefined, claim.owner)) : "";
  return ["refloat step", verb, spec.id, `--file {file}${owner}`, ...rest].join(" ");
}

const nameOf = ({ spec }: StepView): string => `Step ${spec.id} (${spec.name})`;

export const timesRule = {
  id: "no-time",
  severity: "warning",
  about:
    "A step at work or finished does not say when it was started, or a complete one when it was completed.",
  command: ACCEPT,
  check: ({ steps, hasArtifact, decisions, holders, claims }) => {
    const found: FoundBreach[] = [];
    const look = (step: StepView, field: string): void => {
      if (textOf(own(step.body, field)) !== null) return;
      const message = `${nameOf(step)} is ${step.status} but has no ${field}.`;
      // Starting a step that is at work sets it; of a finished one nobody knows any more.
      const command =
        step.status === "in_progress" ? { command: orderOn(step, "start", { holders, claims }) } : {};
      found.push({ place: ["steps", step.key, field], message, ...command });
    };
    for (const step of steps) {
      // That one says all there is to say of it.
      if (isNeverRun(step, { hasArtifact, decisions })) continue;
      if (step.status === "in_progress" || step.status === "complete") look(step, "started");
      if (step.status === "complete") look(step, "completed");
    }
    return found;
  },
} as const satisfies StateRule;

/**
 * Complete by its status alone: nothing says when it began, nothing it says it made is there, and the log does not say that it
 * was completed, as it does of one that was rebuilt from the handoff (rebuild-state.ts).
 */
const isNeverRun = (
  { status, body, spec }: StepView,
  { hasArtifact, decisions }: Pick<Subject, "hasArtifact" | "decisions">,
): boolean =>
  status === "complete" &&
  textOf(own(body, "started")) === null &&
  !textsOf(own(body, "artifacts")).some(hasArtifact) &&
  decisions.findLast((one) => one?.key === stepKey(spec.id))?.value !== "complete";

export const neverRunRule = {
  id: "never-run",
  severity: "warning",
  about:
    "A step is complete, but nothing shows that it was ever run: it has no start, and no artifact that exists.",
  command: "refloat step reset {step} --file {file} --reason WHY",
  check: ({ steps, hasArtifact, decisions, holders, claims }) =>
    findEach(steps, (step) => {
      if (!isNeverRun(step, { hasArtifact, decisions })) return null;
      const message = `${nameOf(step)} is complete, but nothing shows that it was run: it has no start and no artifact.`;
      const command = orderOn(step, "reset --reason WHY", { holders, claims });
      return { place: ["steps", step.key], message, command };
    }),
} as const satisfies StateRule;

export const dateRule = {
  id: "date",
  severity: "warning",
  about: "A time is not a date.",
  command: ACCEPT,
  check: ({ doc, steps }) => {
    const found: FoundBreach[] = [];
    const look = (object: unknown, field: string, key: string | null): void => {
      const value = own(object, field);
      if (typeof value !== "string" || value === "" || timeOf(value) !== null) return;
      const place = key === null ? [field] : ["steps", key, field];
      const command = key === null ? { command: "refloat state repair {file}" } : {};
      found.push({ place, message: `${JSON.stringify(value)} is not a date.`, ...command });
    };
    look(doc, "updated", null);
    for (const { key, body } of steps) {
      look(body, "started", key);
      look(body, "completed", key);
    }
    return found;
  },
} as const satisfies StateRule;

export const dateOrderRule = {
  id: "date-order",
  severity: "warning",
  about: "A step was completed before it was started.",
  command: "refloat step reset {step} --file {file} --reason WHY",
  check: ({ steps, holders, claims }) =>
    findEach(steps, (step) => {
      const started = timeOf(own(step.body, "started"));
      const completed = timeOf(own(step.body, "completed"));
      if (started === null || completed === null || completed >= started) return null;
      const [from, to] = [textOf(own(step.body, "started")), textOf(own(step.body, "completed"))];
      return {
        place: ["steps", step.key, "completed"],
        message: `${nameOf(step)} was completed (${to}) before it was started (${from}): one of the times is invented.`,
        command: orderOn(step, "reset --reason WHY", { holders, claims }),
      };
    }),
} as const satisfies StateRule;

export const subStepRule = {
  id: "sub-step-left",
  severity: "warning",
  about: "A finished step still has a `sub_step`.",
  command: "refloat state repair {file}",
  check: ({ steps }) =>
    findEach(steps, (step) => {
      const subStep = isFinished(step.status) ? textOf(own(step.body, "sub_step")) : null;
      if (subStep === null) return null;
      const message = `${nameOf(step)} is ${step.status} but still at ${subStep}.`;
      return { place: ["steps", step.key, "sub_step"], message };
    }),
} as const satisfies StateRule;

/** The values of `current_step` that the statuses allow. */
export function allowedCurrentSteps({ steps }: Pick<Subject, "steps">): readonly number[] {
  const numbers = (some: readonly StepView[]): number[] => some.map(({ spec }) => spec.number);
  const atWork = steps.filter(({ status }) => status === "in_progress");
  const lastDone = steps.findLastIndex(({ status }) => isFinished(status));
  if (atWork.length === 0 && lastDone === -1) return [0, ...numbers(steps.slice(0, 1))];
  const around = steps.slice(Math.max(0, lastDone), lastDone + (atWork.length > 0 ? 1 : 2));
  return [...new Set([...numbers(atWork), ...numbers(lastDone === -1 ? [] : around)])];
}

export const currentStepRule = {
  id: "current-step",
  severity: "warning",
  about: "`current_step` is not the step that the statuses say is at work, last done or next.",
  command: "refloat state repair {file}",
  check: (subject) => {
    const said = own(subject.doc, "current_step");
    const allowed = allowedCurrentSteps(subject);
    if (typeof said !== "number" || allowed.includes(Math.floor(said))) return NOTHING_FOUND;
    return [
      {
        place: ["current_step"],
        message: `current_step is ${said}, but by the steps' statuses it is ${allowed.join(" or ")}.`,
      },
    ];
  },
} as const satisfies StateRule;

export const gapRule = {
  id: "gap",
  severity: "warning",
  about: "A step is at work or complete although an earlier one is not finished.",
  command: "refloat step done {step} --file {file}",
  check: ({ steps, holders, claims }) => {
    const isBegun = ({ status }: StepView): boolean => status === "complete" || status === "in_progress";
    const last = steps.findLastIndex(isBegun);
    return findEach(steps, (step, i) => {
      // One that came to the list later is no gap where a file does not have it.
      const isOpen = !isFinished(step.status) && (step.isThere || !step.spec.isOptional);
      if (i >= last || !isOpen) return null;
      const state = step.isThere ? wordsFor(step.status) : "not in the file";
      const later = steps.slice(i + 1).filter(isBegun);
      return {
        place: ["steps", step.key],
        message: `${nameOf(step)} is ${state}, but ${laterText(later)}.`,
        command: orderOn(step, step.status === "in_progress" ? "done" : "skip --reason WHY", {
          holders,
          claims,
        }),
      };
    });
  },
} as const satisfies StateRule;

const wordsFor = (status: StepView["status"]): string =>
  status === null ? "without a status" : status === "in_progress" ? "at work" : status;

/** "4, 5 are complete and 6 is at work" */
function laterText(later: readonly StepView[]): string {
  const parts = (["complete", "in_progress"] as const).flatMap((status) => {
    const ids = later.filter((step) => step.status === status).map(({ spec }) => spec.id);
    return ids.length === 0
      ? []
      : [`${ids.join(", ")} ${ids.length === 1 ? "is" : "are"} ${wordsFor(status)}`];
  });
  return parts.join(" and ");
}
