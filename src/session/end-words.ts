/** What happened to a session that is not at work, as screens say it. Pure: only what its state and its records tell (T1). */
import { CAUSE_WORDS, causeFrom } from "./causes.ts";
import type { SessionState } from "./lifecycle.ts";

export interface EndFacts {
  readonly state: SessionState;
  readonly cause: string | null;
  readonly suspended_for?: string | undefined;
}

export function endWords({ state, cause, suspended_for }: EndFacts): string {
  const hasEndedWell = cause === null || cause === "clean";
  // Nothing was cut off: somebody's order is all that happened to it.
  if (state === "suspended" && hasEndedWell) return (suspended_for ?? "by order").replace(/\.$/, "");
  if (state === "idle" && hasEndedWell) return "between turns";
  // Begun again since, and given back before another turn: the cause went with the attempt, the turn is as it was (L1).
  if (cause === null) return "its last turn was cut off";
  return CAUSE_WORDS[causeFrom(cause)];
}
