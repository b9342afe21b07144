/** What a worker says, a line for each thing that happened. */
import type { WorkerNews } from "../../../app/fleet/worker-order.ts";
import { durationText } from "../../../text/counting.ts";
import { shellLineWord } from "../../../text/escape.ts";
import type { Output } from "../../screen/output.ts";
import { shortId } from "../../screen/short-id.ts";
import { count, oneLine, timeText } from "../../screen/words.ts";
import { broughtLine } from "../run/run-face.ts";

/** Null: nothing worth a line. */
export function workerLine(news: WorkerNews, { typed }: Output): string | null {
  switch (news.kind) {
    case "ready":
      return `works on ${news.repos.map(oneLine).join(", ")} with ${count(news.slots, "slot")}, account ${oneLine(news.account)}`;
    case "begins":
      return `${news.what === "item" ? "begins item" : "goes on with session"} ${shortId(news.session)} in ${oneLine(news.place)}`;
    case "ended":
      return `session ${shortId(news.session)} ended: code ${news.code}, ${news.state ?? "not begun"}${news.cause === null ? "" : `, ${news.cause}`}, after ${durationText(news.ms)}`;
    case "not-done":
      return `session ${shortId(news.session)} was not gone on with: ${oneLine(news.error.message)} ${typed(oneLine(news.error.hint))}`;
    case "paused":
      return `the usage limit of ${oneLine(news.account)} is reached: it pauses until ${timeText(news.untilMs)}`;
    case "trouble":
      return `tries again: ${oneLine(news.error.message)}`;
    case "drains":
      return `was told to end, and waits for ${count(news.running, "session")}`;
    case "of-session":
      return newsOfSession(news, typed);
    case "settles":
      return news.news.kind === "not-settled"
        ? `what session ${shortId(news.session)} left was not settled: ${oneLine(news.news.error.message)}`
        : null;
    default:
      return news satisfies never;
  }
}

function newsOfSession(
  { session, news }: WorkerNews & { readonly kind: "of-session" },
  typed: (text: string) => string,
): string | null {
  switch (news.kind) {
    case "taken-over":
      return `session ${shortId(session)} was taken over by another machine; its agent is stopped here`;
    case "travelled":
      return `session ${shortId(session)} goes on here, in ${oneLine(news.by.path)}`;
    case "brought":
      return `session ${shortId(session)}: ${broughtLine(news)}`;
    case "cut-off":
      return typed(
        `session ${shortId(session)} was cut off: refloat show ${shellLineWord(shortId(session))}`,
      );
    default:
      return null;
  }
}
