/**
 * What recovery writes about things a dead owner left open (C3, C4, C8): every open call gets a result that
 * says its outcome is unknown, graded by effect; every open message is cut off; every open turn is
 * interrupted. Nothing is erased, nothing is run again. Pure: the records go in with the new claim, in one
 * transaction, so that there is no moment in which a session is claimed but not closed. The records have ids
 * of their own: one made from the call's could be used already, and then nobody could ever take the session up.
 */
import type { Effect, NewRecord, StoredRecord, TurnOutcome } from "../model/record.ts";
import type { Clock } from "../platform/clock.ts";
import type { DirtyEnds } from "../session/escalation.ts";
import { newRecord } from "../session/new-record.ts";
import type { OpenRow } from "../store/contract/driver.ts";

export interface OpenThing {
  readonly row: OpenRow;
  /** The record that opened it. */
  readonly opened: StoredRecord;
}

/** How the attempt ended, and its dirty ends with this one (dirty-end.ts). */
export interface AttemptEnd extends DirtyEnds {
  readonly cause: string;
  readonly progress?: string | null;
  /** Of the open turn; interrupted, unless somebody saw it end otherwise. */
  readonly outcome?: TurnOutcome;
  /** A person stopped it: no crash, and its calls say so (L2, L4). */
  readonly isStopped?: boolean;
}

export interface Recovered {
  readonly cause: string;
  readonly turns: readonly string[];
  readonly calls: readonly string[];
  readonly messages: readonly string[];
}

export function closeLeftOpen(
  clock: Clock,
  things: readonly OpenThing[],
  { cause, count, call, progress = null, outcome = "interrupted", isStopped = false }: AttemptEnd,
  more: {
    readonly evidence?: string[];
    readonly end_capture?: "owed" | "none";
    readonly asked?: boolean;
  } = {},
): { records: NewRecord[]; recovered: Recovered | null } {
  const of = (what: OpenRow["what"]): readonly OpenThing[] => things.filter(({ row }) => row.what === what);
  const calls = of("call");
  const messages = of("message");
  const turns = of("turn");
  if (calls.length + messages.length + turns.length === 0) return { records: [], recovered: null };
  const recovered = {
    cause,
    turns: turns.map(({ row }) => row.id),
    calls: calls.map(({ row }) => row.id),
    messages: messages.map(({ row }) => row.id),
  };
  const records = [
    ...calls.map((call) =>
      newRecord(clock, "call.ended", {
        call: call.row.id,
        ...unseenResult(call, isStopped ? "stopped" : "ended"),
      }),
    ),
    ...messages.map(({ row }) =>
      newRecord(clock, "message.ended", { message: row.id, state: "cut-off", parts: [] }),
    ),
    ...turns.map(({ row }) =>
      newRecord(clock, "turn.ended", { turn: row.id, outcome, reason: reasonOf(outcome, cause) }),
    ),
    newRecord(clock, "recovered", {
      ...recovered,
      dirty_ends: count,
      call,
      progress,
      ...(isStopped ? { asked: true } : {}),
      ...more,
    }),
  ];
  return { records, recovered };
}

const reasonOf = (outcome: TurnOutcome, cause: string): string =>
  outcome === "cancelled" ? "asked to stop" : cause;

/** C4: the result of a call that nobody saw end. */
export function unseenResult(call: OpenThing, why: CutShort) {
  const output = unknownOutcome(effectOf(call), why);
  const told = { status: "unknown-outcome", output, synthetic: true } as const;
  return why === "stopped" ? { ...told, stopped: true } : told;
}

function effectOf(call: OpenThing): Effect {
  const effect = call.opened.body.effect;
  return effect === "none" || effect === "idempotent" ? effect : "unknown";
}

/** Why nobody saw a call end: whoever ran it is gone, or a person stopped it. */
export type CutShort = "ended" | "stopped";

const CUT_SHORT: Readonly<Record<CutShort, string>> = {
  ended: "The session ended while this call was running; its outcome is unknown.",
  stopped: "The person stopped this while the call was running; its outcome is unknown.",
};

/** What the next reader, person or model, is told about a call nobody saw end. */
export function unknownOutcome(effect: Effect, why: CutShort = "ended"): string {
  const start = CUT_SHORT[why];
  switch (effect) {
    case "none":
      return `${start} The tool only reads: calling it again is safe.`;
    case "idempotent":
      return `${start} It may have happened; doing it again gives the same state.`;
    case "unknown":
      return `${start} It may have happened, wholly or in part. Check its effect before you do it again.`;
    default:
      return effect satisfies never;
  }
}
