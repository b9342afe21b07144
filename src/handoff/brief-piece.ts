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
 * Who gets room first: the next command and what was done to the tree, with the way back, each in a few words; what must not be
 * done twice, what was half done, the verdicts, the last words; then what it was for, then the details. A brief of 300 tokens
 * holds these but for the last two.
 */
export const RANK = {
  next: 0,
  act: 1,
  olderAct: 2,
  call: 3,
  operation: 4,
  verdicts: 5,
  output: 6,
  claim: 7,
  goal: 8,
  soFar: 9,
  group: 10,
  turn: 11,
  leftover: 12,
  step: 13,
  decision: 14,
  waiting: 15,
  done: 16,
  moreNext: 17,
  longCall: 18,
  longOutput: 19,
  longGoal: 20,
  longGroup: 21,
  older: 22,
  longOlder: 23,
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
