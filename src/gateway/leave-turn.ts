/**
 * A turn that is left alone is on record with its reason, and whoever asked is told: what is said to him is owed in the
 * same change, so that a crash cannot part the two (T1). Called under the conversation's claim.
 */
import { ensureError } from "../model/errors.ts";
import { type Part, partsOfInput } from "../model/parts.ts";
import type { NewRecord } from "../model/record.ts";
import { renewedAs } from "../session/describe.ts";
import { newRecord } from "../session/new-record.ts";
import type { SessionRow } from "../store/contract/driver.ts";
import { suspendedFor } from "../store/contract/session-facts.ts";
import { isFinal, type TurnResumeDecision } from "./decide-resume.ts";
import { type OwedDelivery, owe } from "./deliveries.ts";
import type { Host } from "./host.ts";
import { interruptedInput, type TurnInterruption } from "./interruption.ts";
import { leftNotice } from "./notices.ts";
import type { TurnInput, TurnLeft } from "./options.ts";
import { renewedRecord } from "./renewal.ts";

export type LeaveDecision = Extract<TurnResumeDecision, { kind: "leave" }>;

export interface LeftTurnRecords {
  readonly records: readonly NewRecord[];
  /** What is told to whoever asked; null: nothing. */
  readonly owed: OwedDelivery | null;
  /** To be called when it is on disk. */
  readonly said: () => void;
}

/** It is on record, for good or for the same reason: not to be written, nor told, at every start. */
export const isLeftAlready = ({ left, isOpen }: TurnInterruption, { why }: LeaveDecision): boolean =>
  left !== null && !isOpen && (left.why === why || isFinal(left.why));

export async function leaveTurn(
  host: Host,
  row: SessionRow,
  interruption: TurnInterruption,
  decision: LeaveDecision,
): Promise<LeftTurnRecords> {
  const { clock } = host.store;
  const { turn } = interruption;
  const input = await interruptedInput(host.store, row.id, interruption);
  const suspending = suspensionRecords(host, row, interruption, decision);
  const left = leftOf(host, row, interruption, decision, input, { beginsAnew: suspending.length > 1 });
  const parts = await tell(host, left);
  const owed = parts ? owe(clock, { turn, input, parts }) : null;
  const judgedAt = interruption.judgedAt;
  const decided = { turn, decision: "leave" as const, why: decision.why, note: null, judged_at: judgedAt };
  return {
    records: [newRecord(clock, "resume.decided", decided), ...suspending, ...(owed ? [owed.record] : [])],
    owed: owed?.owed ?? null,
    said: () => host.notice(leftNotice(left)),
  };
}

/** L2: too many dirty ends suspend; suspended again with nothing done between, the next input begins anew. */
function suspensionRecords(
  { store: { clock }, policy }: Host,
  row: SessionRow,
  { dirtyEnds, suspensions }: TurnInterruption,
  { why }: LeaveDecision,
): NewRecord[] {
  if (why !== "too-many-dirty-ends") return [];
  const reason = `${dirtyEnds} dirty ends without progress`;
  const suspended = newRecord(clock, "session.suspended", { reason, by: "escalation" });
  if (suspensions + 1 < policy.suspensions || renewedAs(row) !== null) return [suspended];
  return [suspended, renewedRecord(clock, `suspended ${suspensions + 1} times with nothing done between`)];
}

function leftOf(
  host: Host,
  { id, facts }: SessionRow,
  interruption: TurnInterruption,
  { why, untilMs }: LeaveDecision,
  input: TurnInput | null,
  { beginsAnew }: { readonly beginsAnew: boolean },
): TurnLeft {
  const route = input?.route ?? null;
  const left = {
    session: id,
    turn: interruption.turn,
    input: input?.id ?? null,
    from: input?.from ?? null,
    route,
    why,
    cause: interruption.cause,
    dirtyEnds: interruption.dirtyEnds,
    isSuspended: why === "too-many-dirty-ends" || suspendedFor({ facts }) !== null,
    isAttended: host.options.isAttended?.({ session: id, route }) ?? true,
    beginsAnew,
    untilMs,
  };
  return { ...left, text: leftText(left, interruption, host.store.clock.nowMs()) };
}

/** Null: nobody is told, because nobody can be, or because the application says so. */
async function tell(host: Host, left: TurnLeft): Promise<readonly Part[] | null> {
  if (left.input === null) return null;
  const { onLeft = tellUnlessAskedFor } = host.options;
  try {
    const said = await onLeft(left);
    return said === null || said === undefined ? null : partsOfInput(said);
  } catch (thrown) {
    host.trouble(left.session, ensureError(thrown)); // the turn is left all the same
    return null;
  }
}

/** Who asked to stop knows; who is not welcome any more is not written to by itself. */
const tellUnlessAskedFor = ({ why, text }: TurnLeft): string | null =>
  why === "asked-to-stop" || why === "not-authorised" ? null : text;

/** What whoever asked is told of a turn that was left: plain words, and what he can do. Pure. */
const MINUTE_MS = 60_000;

function leftText(
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
