/**
 * What the steps of a file may be after a story of changes, some of them cut off: an acknowledged change counts, one
 * begun and not acknowledged may have happened or not, a refused one has not.
 */
import { own, stepsIn } from "../../src/workflow/state-doc.ts";
import { ORIGINAL_WORKFLOW } from "../../src/workflow/step-list.ts";
import type { Line } from "./run-stepper.ts";

interface StepState {
  readonly status: string;
  readonly subStep: string | null;
}

const FRESH: StepState = { status: "pending", subStep: null };

export function wrongSteps(doc: unknown, lines: readonly Line[]): string[] {
  return stepsIn(doc, ORIGINAL_WORKFLOW).flatMap(({ spec, body, status }) => {
    const found: StepState = {
      status: String(status),
      subStep: (own(body, "sub_step") ?? null) as string | null,
    };
    const allowed = statesOf(lines.filter(({ step, op }) => step === spec.id && op !== "decide"));
    if (allowed.some((one) => isSame(one, found))) return [];
    return [`step ${spec.id} is ${JSON.stringify(found)}, not ${JSON.stringify(allowed)}`];
  });
}

/** Every state the lines allow, in order of the story. */
function statesOf(lines: readonly Line[]): readonly StepState[] {
  let states: readonly StepState[] = [FRESH];
  for (const [i, line] of lines.entries()) {
    if (line.k !== "intent") continue;
    const answer = lines[i + 1];
    const after = states.map((state) => afterChange(state, line));
    if (answer?.k === "ack") states = after;
    else if (answer?.k !== "refused") states = [...states, ...after];
  }
  return states;
}

function afterChange(state: StepState, { op, name }: Line): StepState {
  switch (op) {
    case "start":
      return { status: "in_progress", subStep: state.status === "in_progress" ? state.subStep : null };
    case "sub":
      return { status: "in_progress", subStep: name ?? null };
    case "done":
      return { status: "complete", subStep: null };
    case "reset":
      return FRESH;
    default:
      throw new Error(`no step does ${op}`);
  }
}

const isSame = (a: StepState, b: StepState): boolean => a.status === b.status && a.subStep === b.subStep;
