/**
 * What the end of an agent's process means (DESIGN 9, 10): whose exit code it is, whether the session is finished or
 * interrupted, and how its turn ended. Pure.
 */
import { constants } from "node:os";
import type { ExitWhy } from "../model/run-kinds.ts";

/** Why the supervisor set out to end it. */
export interface StopReason {
  readonly why: "timeout" | "signal" | "stopped" | "limit";
  /** The signal that reached the supervisor. */
  readonly signal: NodeJS.Signals | null;
}

export interface ExitFacts {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Null: nobody asked for the end through us. */
  readonly stop: StopReason | null;
  /** Signals that keys typed at our terminal stand for and that went on to the agent. */
  readonly typed: ReadonlySet<NodeJS.Signals>;
  /** The kernel's own count says that it killed for memory just then. */
  readonly isOutOfMemory: boolean;
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
    return { ...own, why: "stopped", state: "finished", cause: "signal", turn: "cancelled" };
  if (code !== null) {
    // It was told to end, and ended with another code than all is well: that is why.
    const cause = stop !== null && code !== 0 ? "signal" : "clean";
    return { ...own, why: "exit", state: "finished", cause, turn: code === 0 ? "completed" : "failed" };
  }
  if (stop !== null || (signal !== null && facts.typed.has(signal)))
    return { ...own, ...interrupted("signal"), why: "signal-through-us" };
  if (facts.isOutOfMemory && signal === "SIGKILL") return { ...own, ...interrupted("oom"), why: "oom" };
  return { ...own, ...interrupted("crash"), why: "signal" };
}

const interrupted = <Cause extends RunEnd["cause"]>(cause: Cause) =>
  ({ state: "interrupted", cause, turn: null }) as const;

function ownCode({ code, signal }: ExitFacts): number {
  if (code !== null) return code;
  return SIGNALLED + (signal === null ? 0 : constants.signals[signal]);
}

/** A signal that reached us before there was an agent to pass it on to. */
export const codeOfSignal = (signal: NodeJS.Signals): number => SIGNALLED + constants.signals[signal];
