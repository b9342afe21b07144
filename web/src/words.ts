/** Plain words for what the page shows; the words of the screens where there are some. */
import { CAUSE_WORDS, causeFrom } from "../../src/model/causes.ts";
import type { Verdict } from "../../src/model/manifest.ts";
import type { SessionSummary } from "../../src/session/describe.ts";
import { count, ordinal } from "../../src/text/counting.ts";
import { escapeForTerminal } from "../../src/text/escape.ts";

export { count, ordinal };

/** T3: what hides or turns text around is shown for what it is; a browser keeps it from being more than text. */
export const shown = (text: string): string => escapeForTerminal(text, { newlines: "keep", tabs: "keep" });
export const shownLine = (text: string): string =>
  escapeForTerminal(text.replace(/[ \t\r\n]+/g, " ").trim(), { newlines: "show" });

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];

export function ago(iso: string | null, nowMs = Date.now()): string {
  if (iso === null) return "";
  const passed = nowMs - Date.parse(iso);
  if (passed < 5000) return "just now";
  if (passed < MINUTE) return `${Math.floor(passed / 1000)} s ago`;
  if (passed < HOUR) return `${Math.floor(passed / MINUTE)} min ago`;
  if (passed < DAY) return `${Math.floor(passed / HOUR)} h ago`;
  return `${count(Math.floor(passed / DAY), "day")} ago`;
}

export function lasted(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < MINUTE) return `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min ${Math.round((ms % MINUTE) / 1000)} s`;
  return `${Math.floor(ms / HOUR)} h ${Math.floor((ms % HOUR) / MINUTE)} min`;
}

export const clockTime = (iso: string): string =>
  new Date(iso).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit" });

export function bytes(n: number): string {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
  let [value, unit] = [n, 0];
  while (value >= 1024 && unit < units.length - 1) [value, unit] = [value / 1024, unit + 1];
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`;
}

export const sizeOf = (state: { readonly size: number } | null): string =>
  state === null ? "nothing" : bytes(state.size);

export const STATE_WORDS: Readonly<Record<SessionSummary["state"], string>> = {
  live: "at work",
  idle: "between turns",
  interrupted: "cut off",
  suspended: "suspended",
  finished: "finished",
};

export const VERDICT_WORDS: Readonly<Record<Verdict, { title: string; about: string; mark: string }>> = {
  risky: { title: "Risky", about: "Something speaks against it. Look before you keep it.", mark: "▲" },
  unknown: { title: "Unknown", about: "Nothing proves it good or bad. It is for you to say.", mark: "?" },
  safe: { title: "Safe", about: "Whole, and the workspace shows it.", mark: "✓" },
};

export const VERDICT_ORDER: readonly Verdict[] = ["risky", "unknown", "safe"];

type Ending = Pick<SessionSummary, "state" | "cause">;

/** L4: of one that is suspended, only where it had ended badly before. */
export const isDead = ({ state, cause }: Ending): boolean =>
  state === "interrupted" || (state === "suspended" && cause !== null && cause !== "clean");

/** Of a session that is not at work. */
export function endOf(of: Ending & Pick<SessionSummary, "suspended_for">): string {
  const { state, cause, suspended_for } = of;
  if (state === "live") return "at work";
  if (state === "suspended" && !isDead(of)) return (suspended_for ?? "by order").replace(/\.$/, "");
  if (state === "idle" && (cause === null || cause === "clean")) return "between turns";
  if (cause === null) return state === "finished" ? "finished" : "its last turn was cut off";
  return CAUSE_WORDS[causeFrom(cause)];
}

/** What a person calls it. */
export const nameOf = ({ name, agent, id }: Pick<SessionSummary, "name" | "agent" | "id">): string =>
  shownLine(name ?? agent ?? id.slice(0, 8));

export const shortOf = (id: string): string => id.slice(0, 8);

export const RULE_WORDS: Readonly<Record<string, string>> = {
  "open-operation": "inside work that never ended",
  "open-call": "written by a call without a result",
  "closed-and-sound": "closed and sound",
};

export const KIND_WORDS: Readonly<Record<string, string>> = {
  added: "new",
  modified: "changed",
  deleted: "deleted",
  renamed: "renamed",
  type: "became something else",
  mode: "permissions",
};

export const ACT_WORDS = {
  commit: { verb: "Commit", done: "committed", about: "goes into a commit of yours" },
  park: { verb: "Park", done: "parked", about: "is kept in the store and taken out of the tree" },
  discard: { verb: "Discard", done: "discarded", about: "is taken out of the tree; undo brings it back" },
  leave: { verb: "Leave", done: "left", about: "stays in the tree as it is" },
  restore: { verb: "Restore", done: "restored", about: "is put back" },
} as const;

export type ActName = keyof typeof ACT_WORDS;
export type Choice = Exclude<ActName, "restore">;
