/** What became of an operation, as every face's data has it (S7, DESIGN 10). Where nothing was recorded the marker is what is left of it. */

import { markerLine } from "../../text/marker-line.ts";
import type { OperationState } from "../../triage/facts/known/triage-facts.ts";
import type { OperationOutcome } from "./operations.ts";

const MARKERS = { open: "BEGIN", ended: "END", aborted: "ABORT" } as const;

export interface ToldOperation {
  readonly recorded: boolean;
  readonly session: string | null;
  readonly attempt: number | null;
  readonly operation: {
    readonly id: string;
    readonly label: string;
    readonly paths: readonly string[] | null;
    readonly state: OperationState;
  } | null;
  readonly capture: string | null;
  readonly marker: string;
}

/** `label`: as it was given, where the operation itself is not known. */
export function toldOperation(
  outcome: OperationOutcome,
  label: string,
  state: OperationState,
): ToldOperation {
  const recorded = outcome.kind === "recorded" ? outcome : null;
  const { operation } = outcome;
  return {
    recorded: recorded !== null,
    session: recorded?.written.session ?? null,
    attempt: recorded?.written.attempt ?? null,
    operation: operation && { id: operation.id, label: operation.label, paths: operation.paths, state },
    capture: recorded?.capture ?? null,
    marker: markerLine(MARKERS[state], label),
  };
}
