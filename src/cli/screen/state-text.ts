/** States and outcomes in their colours and in plain words. */
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
