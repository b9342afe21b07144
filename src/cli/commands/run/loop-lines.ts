/** What a loop says, a line for each thing that happened, so that its log reads as a story weeks later. */

import type { Conflict } from "../../../acts/plans/outcome.ts";
import type { LoopTold } from "../../../app/run/loop-parts.ts";
import type { EndedSettle } from "../../../app/salvage/settle-order.ts";
import type { AppNews } from "../../../app/telling/news.ts";
import { CAUSE_WORDS } from "../../../model/causes.ts";
import type { SettleAct } from "../../../salvage/settle/policy.ts";
import type { SettleOutcome } from "../../../salvage/settle/settle.ts";
import type { SessionEnd } from "../../../supervise/decide-loop.ts";
import type { LoopNews } from "../../../supervise/loop.ts";
import { durationText } from "../../../text/counting.ts";
import { shellLineWord } from "../../../text/escape.ts";
import { shownPath } from "../../../text/shown-path.ts";
import { newsLines } from "../../screen/news-lines.ts";
import type { Output } from "../../screen/output.ts";
import { shortId } from "../../screen/short-id.ts";
import { count, oneLine, ordinal, timeText } from "../../screen/words.ts";

/** None: nothing worth a line. Commands in them can be typed where they are read (T6). */
export function loopLines(
  news: Exclude<LoopTold, { kind: "countdown" | "notify-untrusted" }>,
  out: Output,
): string[] {
  switch (news.kind) {
    case "begins":
      return [`session ${news.number} begins${news.hasHandoff ? ", with the brief of the one before" : ""}`];
    case "ended":
      return [`session ${news.number} (${shortId(news.end.session)}) ${endWords(news.end)}`];
    case "waits":
      return [waitLine(news)];
    case "stops":
      return [out.typed(`stops after ${count(news.soFar.sessions, "session")}: ${whyWords(news)}`)];
    case "settling":
      return settlingLines(news.news, out);
    case "settled":
      return settledLines(news.ended).map(out.typed);
    case "not-settled":
      return [`what it left was not settled: ${news.error.message} ${out.typed(news.error.hint)}`];
    case "settling-stopped":
      return [`what it left was not settled: its check was stopped by ${news.signal}`];
    case "notify-trouble":
      return [news.line];
    default:
      return news satisfies never;
  }
}

/** A log is shorter than a screen; a loop stays in its workspace, and whoever wrote its config was told at its start. */
function settlingLines(news: AppNews, out: Output): string[] {
  switch (news.kind) {
    case "check-step":
      return news.done === 0 ? [`checks what it left: ${news.label}, ${news.total} runs at most`] : [];
    case "unknown-key":
      return [];
    default:
      return newsLines(news, out);
  }
}

/** Before the story begins. */
export const untrustedNotify = (command: string, { typed }: Output): string[] => [
  "refloat: nobody is notified: the command came with the repository, and you never trusted it:",
  `  ${oneLine(command)}`,
  typed("This shows it and asks: refloat trust"),
];

export const stamped = (line: string, nowMs: number): string => `${timeText(nowMs)} ${oneLine(line)}`;

function endWords({ code, state, cause, hasProgress }: SessionEnd): string {
  const how =
    state === "finished" && cause === "clean"
      ? `ended with exit code ${code}`
      : `${state === "suspended" ? "was cut off and suspended" : state === "finished" ? "ended" : "was cut off"}: ${CAUSE_WORDS[cause]}`;
  return hasProgress ? how : `${how}; nothing got done`;
}

function waitLine({ step, untilMs }: LoopNews & { readonly kind: "waits" }): string {
  const until = `until ${timeText(untilMs)} (${durationText(step.ms)})`;
  if (step.why === "limit") return `waits for the usage limit's end, ${until}`;
  const times = step.failure?.times ?? 1;
  const again = times > 1 ? `the same failure for the ${ordinal(times)} time` : "the session failed";
  return `waits ${until}: ${again}`;
}

type Stops = LoopNews & { readonly kind: "stops" };

export function whyWords({ why, suspended, soFar: { last, withoutProgress } }: Stops): string {
  switch (why) {
    case "goal":
      return "the goal of --until is reached";
    case "stop-file":
      return "the stop file is there";
    case "signal":
      return "it was told to";
    case "max":
      return "that is all --max allows";
    case "max-time":
      return "the time of --max-time is up";
    case "limit":
      return last?.resetsAtMs == null
        ? "the usage limit is reached"
        : `the usage limit is reached; it ends ${timeText(last.resetsAtMs)}`;
    case "suspended":
      return `its session is suspended${liftWords(suspended)}`;
    case "no-progress":
      return `${count(withoutProgress, "session")} in a row got nothing done${liftWords(suspended)}`;
    case "asked":
      return "somebody asked its session to stop";
    default:
      return why satisfies never;
  }
}

const liftWords = (suspended: string | null): string =>
  suspended === null ? "" : `. To go on: refloat lift ${shellLineWord(shortId(suspended))}`;

function settledLines(ended: EndedSettle): string[] {
  switch (ended.kind) {
    case "done":
      return [settledWords(ended.settled), ...conflictLines(ended.settled)];
    case "nothing":
      return conflictLines(ended.settled);
    // Nobody is asked, and no review begins.
    case "planned":
    case "declined":
    case "signal":
      return [];
    default:
      return ended satisfies never;
  }
}

/** Paths named of what is left in conflict; the manifest has them all. */
const MAX_CONFLICTS = 3;

/** T1: what the policy would have settled, and did not. */
function conflictLines({ conflicts }: SettleOutcome): string[] {
  if (conflicts.length === 0) return [];
  const word = ({ path, why }: Conflict): string =>
    `${shownPath(path)}: ${oneLine(why ?? "it changed meanwhile")}`;
  const rest = conflicts.length - MAX_CONFLICTS;
  const more = rest > 0 ? `; and ${count(rest, "more", "more")}` : "";
  return [`left whole, in conflict: ${conflicts.slice(0, MAX_CONFLICTS).map(word).join("; ")}${more}`];
}

function settledWords({ acts, commit, outcome }: SettleOutcome): string {
  const of = (act: SettleAct, word: string): string[] => {
    const groups = acts.filter((one) => one.act === act).length;
    return groups === 0 ? [] : [`${count(groups, "group")} ${word}`];
  };
  const committed = `committed${commit === null ? "" : ` as ${commit.slice(0, 12)}`}`;
  const words = [
    ...of("commit", committed),
    ...of("park", "parked"),
    ...of("discard", "discarded"),
    ...of("leave", "left"),
  ];
  const undo =
    outcome.kind === "done"
      ? `. Taken back by: refloat undo --plan ${shellLineWord(shortId(outcome.plan))}`
      : "";
  return `settled what it left: ${words.join(", ")}${undo}`;
}
