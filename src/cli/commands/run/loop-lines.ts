/** What a loop says, a line for each thing that happened, so that its log reads as a story weeks later. */
import { CAUSE_WORDS } from "../../../model/causes.ts";
import type { SessionEnd } from "../../../supervise/decide-loop.ts";
import type { LoopNews } from "../../../supervise/loop.ts";
import { durationText } from "../../../text/counting.ts";
import { shortId } from "../../screen/short-id.ts";
import { count, oneLine, ordinal, timeText } from "../../screen/words.ts";

/** Null: nothing worth a line. */
export function newsLine(news: LoopNews): string | null {
  switch (news.kind) {
    case "begins":
      return `session ${news.number} begins${news.hasHandoff ? ", with the brief of the one before" : ""}`;
    case "ended":
      return `session ${news.number} (${shortId(news.end.session)}) ${endWords(news.end)}`;
    case "waits":
      return waitLine(news);
    case "countdown":
      return null;
    case "stops":
      return `stops after ${count(news.soFar.sessions, "session")}: ${whyWords(news)}`;
    default:
      return news satisfies never;
  }
}

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
  suspended === null ? "" : `. To go on: refloat lift ${shortId(suspended)}`;
