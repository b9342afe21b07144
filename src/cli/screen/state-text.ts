/** States and outcomes in their colours and in plain words. */
import { CAUSE_WORDS, causeFrom } from "../../model/causes.ts";
import type { SessionState } from "../../session/state.ts";
import type { Style } from "./style.ts";
import { oneLine } from "./words.ts";

export function stateText(style: Style, state: SessionState, text: string = state): string {
  switch (state) {
    case "live":
      return style.green(text);
    case "interrupted":
      return style.red(text);
    case "suspended":
      return style.yellow(text);
    case "idle":
      return style.cyan(text);
    case "finished":
      return style.dim(text);
    default:
      return state satisfies never;
  }
}

const WHYS: Readonly<Record<string, string>> = {
  new: "a new session",
  released: "the try before gave it back",
  dead: "the try before was dead",
  lost: "the try before was lost",
  broken: "taken over by order",
};

/** How a claim was free, as it is said on screens. */
export const whyWords = (why: string): string => WHYS[why] ?? oneLine(why);

const PLAIN_STATUS: Readonly<Record<string, string>> = { "unknown-outcome": "may have happened" };

/** A call's status as it is said on screens. */
export const statusWords = (status: string): string => PLAIN_STATUS[status] ?? status;

export function statusText(style: Style, status: string, text: string = statusWords(status)): string {
  switch (status) {
    case "done":
    case "completed":
      return style.green(text);
    case "failed":
    case "unknown-outcome":
    case "interrupted":
      return style.red(text);
    case "cancelled":
      return style.yellow(text);
    default:
      return style.cyan(text);
  }
}

interface EndFacts {
  readonly state: SessionState;
  readonly cause: string | null;
  readonly suspended_for?: string | undefined;
}

/** What happened to a session that is not at work, as screens say it: only what its state and its records tell (T1). */
export function endWords({ state, cause, suspended_for }: EndFacts): string {
  const hasEndedWell = cause === null || cause === "clean";
  // Nothing was cut off: somebody's order is all that happened to it.
  if (state === "suspended" && hasEndedWell) return (suspended_for ?? "by order").replace(/\.$/, "");
  if (state === "idle" && hasEndedWell) return "between turns";
  // Begun again since, and given back before another turn: the cause went with the attempt, the turn is as it was (L1).
  if (cause === null) return "its last turn was cut off";
  return CAUSE_WORDS[causeFrom(cause)];
}
