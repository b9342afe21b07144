/** A decision, as every face's data has it (S7, DESIGN 10). Where nothing was recorded the marker is what is left of it. */
import { decidedText, markerLine } from "../../text/marker-line.ts";
import type { DecisionOrder, DecisionOutcome } from "./decide.ts";

export const decisionMarker = ({ key, value, reason }: DecisionOrder): string =>
  markerLine("DECIDED", decidedText(key, value, reason));

export function toldDecision(outcome: DecisionOutcome, order: DecisionOrder) {
  const { file: _named, ...decided } = order;
  const { reason } = decided;
  const marker = decisionMarker(order);
  switch (outcome.kind) {
    case "in-file":
      return { file: outcome.file, session: null, recorded: true, ...outcome.made, reason };
    case "in-session":
      return { file: null, session: outcome.session, recorded: true, ...decided, marker };
    case "unrecorded":
      return { file: outcome.file, session: null, recorded: false, ...decided, marker };
    default:
      return outcome satisfies never;
  }
}
