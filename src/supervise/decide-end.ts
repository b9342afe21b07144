/**
 * What the end of an agent's process means (DESIGN 9, 10): whose exit code it is, whether the session is finished or
 * interrupted, and how its turn ended. Pure.
 *
 * An exit code is not an ending (L7): agents that are cut off in the middle of a tool exit with 0. Whoever was told to
 * end was interrupted, whatever its code; and a turn is completed only where somebody witnessed that.
 */
import { constants } from "node:os";
import type { TurnEndedBy } from "../model/record.ts";
import type { ExitWhy } from "../model/run-kinds.ts";
import { isAskedBy } from "../session/escalation.ts";
import type { HeardEnd } from "./hearing.ts";

/** Why the supervisor set out to end it. */
export type StopReason =
  | { readonly why: "timeout" | "stopped" | "limit"; readonly signal: null }
  /** The signal that reached the supervisor. */
  | { readonly why: "signal"; readonly signal: NodeJS.Signals };

/** Who could say that the turn which is open at its exit is done (L7). */
export type TurnWitness =
  /** Its own records, and its end record is among them, behind the last call. */
  | "end-record"
  /** Its own records, by an adapter: a turn that is still open at the exit has no end record. */
  | "own-records"
  /** No adapter, and nobody at a terminal: its exit code, where nobody asked for the end. */
  | "exit-code"
  /** It had the terminal: whoever sat there may have left it at any point. */
  | "nobody";

export function witnessOf(agent: {
  readonly reportsTurns: boolean;
  readonly hasTerminal: boolean;
  /** What was heard of it; null: nothing. */
  readonly heard: HeardEnd | null;
}): TurnWitness {
  if (agent.heard) return agent.heard.hasEnded ? "end-record" : "own-records";
  if (agent.reportsTurns) return "own-records";
  return agent.hasTerminal ? "nobody" : "exit-code";
}

export interface ExitFacts {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Null: nobody asked for the end through us. */
  readonly stop: StopReason | null;
  /** Signals that keys typed at our terminal stand for and that went on to the agent. */
  readonly typed: ReadonlySet<NodeJS.Signals>;
  /** The last thing typed was such a key, it was a signal there and then, and reached the agent itself. */
  readonly lastTyped: NodeJS.Signals | null;
  readonly witness: TurnWitness;
  /** What we told it by that its time is nearly up; left out: we did not. */
  readonly warned?: NodeJS.Signals | null;
  /** The kernel's own count says that it killed for memory just then. */
  readonly isOutOfMemory: boolean;
  /** It was to go on with a session, and nothing of it was heard: whatever was open there still is. */
  readonly isSilent?: boolean;
  /** It said, by its output or its exit code, that its usage limit is reached, and ended by itself. */
  readonly isLimit?: boolean;
}

export interface RunEnd {
  readonly why: ExitWhy;
  readonly exitCode: number;
  /** Whose the exit code is. */
  readonly whose: "agent" | "refloat";
  readonly state: "finished" | "interrupted";
  readonly cause: "clean" | "signal" | "timeout" | "limit" | "crash" | "oom";
  /** Null: it was interrupted. */
  readonly turn: "completed" | "failed" | "cancelled" | null;
  /** Whose word that is: the agent's own end record's, or its process's, by ending (L7). */
  readonly turnBy?: TurnEndedBy;
  /** A person asked for it, or it heard and ended by itself: no crash, whatever it left (L2). */
  readonly isAsked: boolean;
  /** It does not listen to what `--warn-signal` names, and died of it. */
  readonly isOfWarning?: true;
}

const TIMED_OUT = 124;
const TRY_LATER = 75;
const SIGNALLED = 128;

export function decideEnd(facts: ExitFacts): RunEnd {
  const { code, signal, stop } = facts;
  const own = { exitCode: ownCode(facts), whose: "agent" } as const;
  if (stop?.why === "timeout")
    return { ...interrupted("timeout"), why: "timeout", exitCode: TIMED_OUT, whose: "refloat" };
  if (stop?.why === "limit" || (stop === null && facts.isLimit === true))
    return { ...interrupted("limit"), why: "limit", exitCode: TRY_LATER, whose: "refloat" };
  if (stop?.why === "stopped")
    return { ...own, why: "stopped", state: "finished", cause: "signal", turn: "cancelled", isAsked: true };
  const told = toldBy(facts);
  if (told !== null)
    return { ...own, ...interrupted("signal"), why: "signal-through-us", isAsked: isAskedBy(told, code) };
  if (code !== null && facts.isSilent === true)
    return { ...own, ...interrupted("clean"), why: "exit", isAsked: true };
  if (code !== null)
    return {
      ...{ ...own, why: "exit", state: "finished", cause: "clean", turn: turnOf(facts), isAsked: false },
      ...(facts.witness === "end-record" ? { turnBy: "agent" as const } : {}),
    };
  if (signal !== null && signal === facts.warned)
    return { ...own, ...interrupted("signal"), why: "signal-through-us", isAsked: true, isOfWarning: true };
  if (facts.isOutOfMemory && signal === "SIGKILL") return { ...own, ...interrupted("oom"), why: "oom" };
  return { ...own, ...interrupted("crash"), why: "signal" };
}

/** The signal that told it to end, if one did. */
const toldBy = ({ signal, stop, typed, lastTyped }: ExitFacts): NodeJS.Signals | null =>
  stop?.signal ?? (signal === null ? lastTyped : typed.has(signal) ? signal : null);

/** A person stopped it, by `stop` or by Ctrl-C: what the next reader is told of its open calls (C4). */
export const isStoppedByPerson = (facts: ExitFacts): boolean =>
  facts.stop === null || facts.stop.why === "signal"
    ? toldBy(facts) === "SIGINT"
    : facts.stop.why === "stopped";

const interrupted = <Cause extends RunEnd["cause"]>(cause: Cause) =>
  ({ state: "interrupted", cause, turn: null, isAsked: false }) as const;

const turnOf = ({ code, witness }: ExitFacts): "completed" | "failed" =>
  witness === "end-record" || (witness === "exit-code" && code === 0) ? "completed" : "failed";

function ownCode({ code, signal }: ExitFacts): number {
  if (code !== null) return code;
  return SIGNALLED + (signal === null ? 0 : constants.signals[signal]);
}

/** A signal that reached us before there was an agent to pass it on to. */
export const codeOfSignal = (signal: NodeJS.Signals): number => SIGNALLED + constants.signals[signal];
