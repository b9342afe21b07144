import { describe, expect, it } from "vitest";
import fc from "../../test/support/fast-check.ts";
import {
  AFTER_RESET_MS,
  afterSession,
  decideNext,
  LONGEST_BACKOFF_MS,
  LONGEST_LIMIT_WAIT_MS,
  type LoopLimits,
  type LoopNow,
  type LoopSoFar,
  type LoopStep,
  loopExitCode,
  MOST_LIMITS_IN_A_ROW,
  NOTHING_YET,
  type SessionEnd,
} from "./decide-loop.ts";

const DONE: SessionEnd = {
  session: "s",
  code: 0,
  state: "finished",
  cause: "clean",
  hasProgress: true,
  call: null,
  resetsAtMs: null,
};
const FAILED: SessionEnd = { ...DONE, code: 1, hasProgress: false };
const KILLED: SessionEnd = { ...DONE, code: 137, state: "interrupted", cause: "crash", hasProgress: false };
const LIMITED: SessionEnd = {
  ...DONE,
  code: 75,
  state: "interrupted",
  cause: "limit",
  resetsAtMs: 1_000_000,
};

const LIMITS: LoopLimits = { max: null, maxTimeMs: null, backoffMs: 1000, suspendAfter: 3, onLimit: "exit" };
const NOW: LoopNow = { wallMs: 400_000, elapsedMs: 0, signal: null, hasStopFile: false, isGoalReached: null };

const soFarAfter = (...ends: readonly SessionEnd[]): LoopSoFar => ends.reduce(afterSession, NOTHING_YET);
const next = (
  ends: readonly SessionEnd[],
  limits: Partial<LoopLimits> = {},
  now: Partial<LoopNow> = {},
): LoopStep =>
  decideNext(soFarAfter(...ends), { ...LIMITS, ...limits }, { ...NOW, ...now }, { isRested: false });

describe("a loop", () => {
  it("goes on after a session that ended well, at once and without a bound of its own", () => {
    expect(next([])).toEqual({ kind: "start", timeoutMs: null });
    expect(next([DONE, DONE, DONE, DONE])).toEqual({ kind: "start", timeoutMs: null });
  });

  it("stops for a signal, the stop file and the goal before anything else, also in the middle of trouble", () => {
    const trouble = [KILLED, KILLED, KILLED];
    expect(next(trouble, {}, { signal: "SIGTERM" })).toEqual({ kind: "stop", why: "signal" });
    expect(next(trouble, {}, { hasStopFile: true })).toEqual({ kind: "stop", why: "stop-file" });
    expect(next(trouble, {}, { isGoalReached: true })).toEqual({ kind: "stop", why: "goal" });
    expect(next([DONE], {}, { isGoalReached: false })).toMatchObject({ kind: "start" });
  });

  it("waits twice as long for the same failure each time, up to a bound, and begins anew with another one", () => {
    const never = { suspendAfter: null };
    expect(next([FAILED], never)).toMatchObject({ kind: "wait", why: "backoff", ms: 1000 });
    expect(next([FAILED, FAILED], never)).toMatchObject({ ms: 2000, failure: { times: 2 } });
    expect(next([FAILED, FAILED, KILLED], never)).toMatchObject({ ms: 1000, failure: { times: 1 } });
    expect(next([FAILED, FAILED, DONE, FAILED], never)).toMatchObject({ ms: 1000 });
    const many = Array.from({ length: 40 }, () => FAILED);
    expect(next(many, never)).toMatchObject({ ms: LONGEST_BACKOFF_MS });
    expect(decideNext(soFarAfter(...many), { ...LIMITS, ...never }, NOW, { isRested: true })).toMatchObject({
      kind: "start",
    });
  });

  it("does not back off from its own timeout when something got done (L2)", () => {
    const timeout: SessionEnd = { ...KILLED, code: 124, cause: "timeout", hasProgress: true };
    expect(next([timeout, timeout, timeout, timeout])).toMatchObject({ kind: "start" });
    expect(next([{ ...timeout, hasProgress: false }])).toMatchObject({ kind: "wait" });
  });

  it("escalates after so many sessions without progress in a row, and when and only when nothing moves (L2)", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(DONE, FAILED, KILLED, { ...KILLED, hasProgress: true }, LIMITED), {
          maxLength: 30,
        }),
        fc.integer({ min: 1, max: 5 }),
        (ends, suspendAfter) => {
          const counted = ends.filter(({ cause }) => cause !== "limit");
          const tail = counted.length - 1 - counted.findLastIndex(({ hasProgress }) => hasProgress);
          const step = next(ends, { suspendAfter, onLimit: "wait" });
          expect(step.kind === "stop" && step.why === "no-progress").toBe(tail >= suspendAfter);
        },
      ),
    );
  });

  it("stops where recovery suspended the session (L4), or somebody asked for its end", () => {
    expect(next([{ ...KILLED, state: "suspended" }], { suspendAfter: null })).toEqual({
      kind: "stop",
      why: "suspended",
    });
    expect(next([{ ...DONE, code: 130, cause: "signal" }])).toEqual({ kind: "stop", why: "asked" });
  });

  it("ends at a usage limit, or waits for it where asked to, the time is known and within bounds", () => {
    expect(next([LIMITED])).toEqual({ kind: "stop", why: "limit" });
    const wait = { onLimit: "wait" } as const;
    expect(next([LIMITED], wait)).toMatchObject({ kind: "wait", why: "limit", ms: 600_000 + AFTER_RESET_MS });
    expect(next([{ ...LIMITED, resetsAtMs: null }], wait)).toEqual({ kind: "stop", why: "limit" });
    const far = { ...LIMITED, resetsAtMs: NOW.wallMs + LONGEST_LIMIT_WAIT_MS };
    expect(next([far], wait)).toEqual({ kind: "stop", why: "limit" });
    const fruitless = { ...LIMITED, hasProgress: false };
    const often = Array.from({ length: MOST_LIMITS_IN_A_ROW + 1 }, () => fruitless);
    expect(next(often, wait)).toEqual({ kind: "stop", why: "limit" });
    expect(next([...often, DONE, LIMITED], wait)).toMatchObject({ kind: "wait" });
  });

  it("never counts a usage limit as an end without progress, and never backs off from it", () => {
    const soFar = soFarAfter(KILLED, { ...LIMITED, hasProgress: false });
    expect(soFar.withoutProgress).toBe(1);
    expect(decideNext(soFar, { ...LIMITS, onLimit: "wait" }, NOW, { isRested: true })).toMatchObject({
      kind: "start",
    });
  });

  it("ends after its number of sessions or its time, and gives the last session only what is left of it", () => {
    expect(next([DONE], { max: 1 })).toEqual({ kind: "stop", why: "max" });
    expect(next([DONE], { maxTimeMs: 5000 }, { elapsedMs: 5000 })).toEqual({ kind: "stop", why: "max-time" });
    expect(next([DONE], { maxTimeMs: 5000 }, { elapsedMs: 4000 })).toEqual({
      kind: "start",
      timeoutMs: 1000,
    });
    // A wait that would outlast the time is not begun.
    expect(next([FAILED], { maxTimeMs: 5000 }, { elapsedMs: 4500 })).toEqual({
      kind: "stop",
      why: "max-time",
    });
  });
});

describe("its exit code", () => {
  const code = (
    ends: readonly SessionEnd[],
    why: Parameters<typeof loopExitCode>[1],
    isGoalReached: boolean | null = null,
  ) => loopExitCode(soFarAfter(...ends), why, { signal: "SIGTERM", isGoalReached });

  it("is 0 for the goal and the stop file, 75 for a limit, 1 for an escalation, the last session's for the rest", () => {
    expect(code([FAILED], "goal", true)).toBe(0);
    expect(code([FAILED], "stop-file")).toBe(0);
    expect(code([LIMITED], "limit")).toBe(75);
    expect(code([KILLED], "no-progress")).toBe(1);
    expect(code([KILLED], "suspended")).toBe(1);
    expect(code([FAILED, { ...FAILED, code: 7 }], "max")).toBe(7);
    expect(code([DONE], "max")).toBe(0);
    expect(code([DONE], "signal")).toBe(143);
  });

  it("is not 0 when the goal was named and is not reached", () => {
    expect(code([DONE], "max", false)).toBe(1);
  });
});
