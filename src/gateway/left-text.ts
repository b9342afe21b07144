/** What whoever asked is told of a turn that was left: plain words, and what he can do. Pure. */
import type { TurnInterruption } from "./interruption.ts";
import type { TurnLeft } from "./options.ts";

const MINUTE_MS = 60_000;

export function leftText(
  left: Omit<TurnLeft, "text">,
  { lastSignMs }: Pick<TurnInterruption, "lastSignMs">,
  nowMs: number,
): string {
  const what = `Working on your message${atTime(lastSignMs)} was interrupted`;
  switch (left.why) {
    case "too-many-dirty-ends":
      return `${what} ${left.dirtyEnds} times in a row, so it was given up. ${afterSuspension(left)}`;
    case "suspended":
      return `${what}, and this conversation is suspended. ${afterSuspension(left)}`;
    case "restart-loop":
      return `${what} again and again. It is tried again by itself ${inTime(left.untilMs, nowMs)}; a new message is answered at once.`;
    case "stale":
      return `${what}, and that was found too late to go on by itself. Send it again if you still want an answer.`;
    case "not-authorised":
      return `${what}. It is not gone on with: that is not allowed any more.`;
    case "asked-to-stop":
      return `${what} after it had been asked to stop. It is not gone on with.`;
    default:
      return left.why satisfies never;
  }
}

function afterSuspension({ beginsAnew, isAttended }: Omit<TurnLeft, "text">): string {
  if (beginsAnew) return "Your next message begins a new conversation; this one is kept.";
  return isAttended
    ? "Nothing of the conversation is lost: write again to go on."
    : "Nothing of it is lost: it goes on when the suspension is lifted.";
}

const atTime = (atMs: number | null): string =>
  atMs === null ? "" : ` (${new Date(atMs).toISOString().slice(0, 16).replace("T", " ")} UTC)`;

function inTime(untilMs: number | null, nowMs: number): string {
  const minutes = Math.ceil(((untilMs ?? nowMs) - nowMs) / MINUTE_MS);
  return minutes <= 1 ? "in about a minute" : `in about ${minutes} minutes`;
}
