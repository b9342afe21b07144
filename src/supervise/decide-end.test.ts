import { describe, expect, it } from "vitest";
import { decideEnd, type ExitFacts, type StopReason, witnessOf } from "./decide-end.ts";

const facts = (more: Partial<ExitFacts>): ExitFacts => ({
  code: null,
  signal: null,
  stop: null,
  typed: new Set(),
  lastTyped: null,
  witness: "exit-code",
  isOutOfMemory: false,
  ...more,
});
const stop = (why: StopReason["why"], signal: NodeJS.Signals = "SIGTERM"): StopReason =>
  why === "signal" ? { why, signal } : { why, signal: null };

describe("the end of an agent's process (DESIGN 9, 10)", () => {
  it("is finished with its own code, whatever value that has, when it exits by itself", () => {
    expect(decideEnd(facts({ code: 0 }))).toEqual({
      why: "exit",
      exitCode: 0,
      whose: "agent",
      state: "finished",
      cause: "clean",
      turn: "completed",
      isAsked: false,
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

  it("is ours, and no crash, where it died of our own warning", () => {
    expect(decideEnd(facts({ signal: "SIGUSR1", warned: "SIGUSR1" }))).toMatchObject({
      why: "signal-through-us",
      exitCode: 138,
      state: "interrupted",
      cause: "signal",
      isAsked: true,
      isOfWarning: true,
    });
    expect(decideEnd(facts({ signal: "SIGSEGV", warned: "SIGUSR1" }))).toMatchObject({ cause: "crash" });
    expect(decideEnd(facts({ signal: "SIGUSR1" }))).toMatchObject({ cause: "crash" });
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

  it("L7: is interrupted by the signal that told it to end, whatever its code: exit 0 completes nothing", () => {
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const)
      for (const code of [0, 1, 130, 143])
        expect(decideEnd(facts({ code, stop: stop("signal", signal) }))).toEqual({
          why: "signal-through-us",
          exitCode: code,
          whose: "agent",
          state: "interrupted",
          cause: "signal",
          turn: null,
          isAsked: true,
        });
  });

  it("L7: is interrupted by a key typed at its terminal that was the last thing it heard, never by one it lived on after", () => {
    const typed = new Set<NodeJS.Signals>(["SIGINT"]);
    const at = (more: Partial<ExitFacts>): ExitFacts => facts({ typed, witness: "nobody", ...more });
    expect(decideEnd(at({ code: 0, lastTyped: "SIGINT" }))).toMatchObject({
      why: "signal-through-us",
      exitCode: 0,
      state: "interrupted",
      cause: "signal",
      turn: null,
      isAsked: true,
    });
    expect(decideEnd(at({ code: 0 }))).toMatchObject({ why: "exit", state: "finished", cause: "clean" });
  });

  it("L7: completes a turn by its exit code only where nobody asked, there is no adapter, and it had no terminal", () => {
    expect(decideEnd(facts({ code: 0 })).turn).toBe("completed");
    for (const witness of ["nobody", "own-records"] as const)
      expect(decideEnd(facts({ code: 0, witness }))).toMatchObject({ state: "finished", turn: "failed" });
    expect(witnessOf({ reportsTurns: false, hasTerminal: false, heard: null })).toBe("exit-code");
    expect(witnessOf({ reportsTurns: false, hasTerminal: true, heard: null })).toBe("nobody");
    expect(witnessOf({ reportsTurns: true, hasTerminal: true, heard: null })).toBe("own-records");
    const heard = (hasEnded: boolean) =>
      witnessOf({ reportsTurns: false, hasTerminal: true, heard: { hasEnded, isSilent: false } });
    expect([heard(true), heard(false)]).toEqual(["end-record", "own-records"]);
  });

  it("L2: is asked for, and no crash, when a person pressed Ctrl-C or it heard and ended by itself; killed by a SIGTERM it counts", () => {
    const asked = (more: Partial<ExitFacts>): boolean => decideEnd(facts(more)).isAsked;
    expect(asked({ signal: "SIGINT", stop: stop("signal", "SIGINT") })).toBe(true);
    expect(asked({ signal: "SIGKILL", stop: stop("signal", "SIGINT") })).toBe(true);
    expect(asked({ signal: "SIGINT", typed: new Set(["SIGINT"]) })).toBe(true);
    expect(asked({ code: 1, stop: stop("signal", "SIGTERM") })).toBe(true);
    expect(asked({ signal: "SIGKILL", stop: stop("signal", "SIGTERM") })).toBe(false);
    expect(asked({ signal: "SIGSEGV" })).toBe(false);
    expect(asked({ code: 1 })).toBe(false);
  });
});
