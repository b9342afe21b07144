import { describe, expect, it } from "vitest";
import { decideEnd, type ExitFacts, type StopReason } from "./decide-end.ts";

const facts = (more: Partial<ExitFacts>): ExitFacts => ({
  code: null,
  signal: null,
  stop: null,
  typed: new Set(),
  isOutOfMemory: false,
  ...more,
});
const stop = (why: StopReason["why"]): StopReason => ({ why, signal: why === "signal" ? "SIGTERM" : null });

describe("the end of an agent's process (DESIGN 9, 10)", () => {
  it("is finished with its own code, whatever value that has, when it exits by itself", () => {
    expect(decideEnd(facts({ code: 0 }))).toEqual({
      why: "exit",
      exitCode: 0,
      whose: "agent",
      state: "finished",
      cause: "clean",
      turn: "completed",
    });
    for (const code of [1, 2, 4, 64, 75, 124, 125, 127, 137, 255])
      expect(decideEnd(facts({ code }))).toMatchObject({
        why: "exit",
        exitCode: code,
        whose: "agent",
        state: "finished",
        turn: "failed",
      });
  });

  it("is interrupted, with 128 and the signal, when it dies by one: a crash unless the signal came through us", () => {
    expect(decideEnd(facts({ signal: "SIGSEGV" }))).toMatchObject({
      why: "signal",
      exitCode: 139,
      state: "interrupted",
      cause: "crash",
      turn: null,
    });
    expect(decideEnd(facts({ signal: "SIGTERM", stop: stop("signal") }))).toMatchObject({
      why: "signal-through-us",
      exitCode: 143,
      whose: "agent",
      cause: "signal",
    });
    expect(decideEnd(facts({ signal: "SIGINT", typed: new Set(["SIGINT"]) }))).toMatchObject({
      why: "signal-through-us",
      exitCode: 130,
    });
    expect(decideEnd(facts({ signal: "SIGKILL", typed: new Set(["SIGINT"]) }))).toMatchObject({
      cause: "crash",
    });
  });

  it("is oom only where the kernel's count proves it and the signal was the kernel's", () => {
    expect(decideEnd(facts({ signal: "SIGKILL", isOutOfMemory: true }))).toMatchObject({
      cause: "oom",
      exitCode: 137,
    });
    expect(decideEnd(facts({ signal: "SIGTERM", isOutOfMemory: true }))).toMatchObject({ cause: "crash" });
    const ours = facts({ signal: "SIGKILL", isOutOfMemory: true, stop: stop("signal") });
    expect(decideEnd(ours)).toMatchObject({ cause: "signal" });
  });

  it("is interrupted by our timeout with 124 and by a limit with 75, however it went", () => {
    for (const how of [{ code: 0 }, { code: 3 }, { signal: "SIGKILL" as const }]) {
      expect(decideEnd(facts({ ...how, stop: stop("timeout") }))).toMatchObject({
        why: "timeout",
        exitCode: 124,
        whose: "refloat",
        state: "interrupted",
        cause: "timeout",
        turn: null,
      });
      expect(decideEnd(facts({ ...how, stop: stop("limit") }))).toMatchObject({
        exitCode: 75,
        cause: "limit",
      });
    }
  });

  it("is finished by a stop somebody asked for, never taken for interrupted (L4)", () => {
    for (const how of [{ code: 0 }, { code: 130 }, { signal: "SIGKILL" as const }])
      expect(decideEnd(facts({ ...how, stop: stop("stopped") }))).toMatchObject({
        why: "stopped",
        state: "finished",
        cause: "signal",
        turn: "cancelled",
      });
  });

  it("of an agent that ended by itself after a signal through us is finished, and says so by its code", () => {
    expect(decideEnd(facts({ code: 0, stop: stop("signal") }))).toMatchObject({
      cause: "clean",
      turn: "completed",
    });
    expect(decideEnd(facts({ code: 130, stop: stop("signal") }))).toMatchObject({
      state: "finished",
      cause: "signal",
    });
  });
});
