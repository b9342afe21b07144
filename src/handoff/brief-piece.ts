/** The sections of a brief, in the order they are read, and the order in which they are given room. */
import type { Json } from "../model/json.ts";
import type { SlotPiece } from "./fit-pieces.ts";

export const SECTIONS = {
  goal: "Goal",
  stopped: "Where it stopped",
  calls: "May have happened",
  operations: "Operations",
  work: "Work left, with verdicts",
  claims: "Said, but not so",
  leftovers: "Processes it left",
  steps: "Steps",
  decisions: "Decisions",
  waiting: "Inputs that wait",
  done: "What refloat has done",
  next: "Next",
} as const;
export type BriefSection = keyof typeof SECTIONS;

/**
 * Who gets room first: what must not be done twice, what was half done, the verdicts, the last words; then what it was
 * for, then the details. A brief of 300 tokens holds the first five.
 */
export const RANK = {
  next: 0,
  call: 1,
  operation: 2,
  verdicts: 3,
  output: 4,
  claim: 5,
  goal: 6,
  soFar: 7,
  group: 8,
  turn: 9,
  leftover: 10,
  step: 11,
  decision: 12,
  waiting: 13,
  done: 14,
  moreNext: 15,
  longCall: 16,
  longOutput: 17,
  longGoal: 18,
  longGroup: 19,
  older: 20,
  longOlder: 21,
} as const;

/** What a piece adds to the brief as JSON: a field of its own, or a member of a list. */
export type BriefJson =
  | { readonly field: "goal" | "last_output" | "turn" | "verdicts"; readonly value: Json }
  | {
      readonly list:
        | "next"
        | "calls"
        | "operations"
        | "groups"
        | "claims_contradicted"
        | "leftovers"
        | "steps"
        | "decisions"
        | "waiting"
        | "done";
      readonly value: Json;
    };

export interface BriefPiece extends SlotPiece<BriefSection> {
  readonly json: BriefJson;
}
