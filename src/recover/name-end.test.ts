import { expect, test } from "vitest";
import type { AttemptStory } from "./attempt-story.ts";
import { type DeathFacts, MARK_GRACE_MS, type NamedEnd, nameEnd } from "./name-end.ts";

const NOW = 1_000_000;
const story = (over: Partial<AttemptStory> = {}): AttemptStory => ({
  attempt: 1,
  mark: "s.1.r",
  agent: { pid: 7, started: 9 },
  exit: null,
  drain: null,
  isStopAsked: false,
  hasOutput: false,
  ...over,
});
const facts = (over: Partial<DeathFacts> = {}, of: Partial<AttemptStory> = {}): DeathFacts => ({
  death: "no-such-process",
  story: story(of),
  heartbeatAtMs: NOW,
  oomRecord: null,
  ...over,
});
const drain = (why: "timeout" | "signal" | "stopped" | "limit", atMs = NOW) => ({
  why,
  atMs,
  drainMs: 20_000,
});
const exit = (
  why: NonNullable<AttemptStory["exit"]>["why"],
  code: number | null = null,
  signal: string | null = null,
) => ({
  exit: { why, code, signal },
});

test.each<[string, DeathFacts, Partial<NamedEnd>]>([
  ["nothing is known", facts(), { cause: "unknown", outcome: "interrupted", isFinished: false }],
  ["its pid is another's now", facts({ death: "pid-reused" }), { cause: "unknown" }],
  ["the machine was started again", facts({ death: "reboot" }), { cause: "reboot", isFinished: false }],
  ["nothing was heard of it on another host", facts({ death: "lost" }), { cause: "lost" }],
  [
    "the kernel killed it for memory",
    facts({ oomRecord: "Out of memory: Killed process 7 (x)" }),
    { cause: "oom" },
  ],
  [
    "hermes 11099: killed in the drain of our timeout",
    facts({}, { drain: drain("timeout") }),
    { cause: "timeout", isFinished: false },
  ],
  [
    "hermes 11099: killed in the drain after a signal",
    facts({}, { drain: drain("signal") }),
    { cause: "signal", isFinished: false },
  ],
  ["killed in the drain of a usage limit", facts({}, { drain: drain("limit") }), { cause: "limit" }],
  [
    "killed in the drain of a stop",
    facts({}, { drain: drain("stopped") }),
    { cause: "signal", outcome: "cancelled", isFinished: true, isAsked: true },
  ],
  [
    "killed in the drain after a person's Ctrl-C (L2)",
    facts({}, { drain: { ...drain("signal"), signal: "SIGINT" } }),
    { cause: "signal", outcome: "interrupted", isFinished: false, isAsked: true, isStopped: true },
  ],
  [
    "asked to stop, and died before it answered",
    facts({}, { isStopAsked: true }),
    { cause: "signal", outcome: "cancelled", isFinished: true },
  ],
  [
    "a conversation of a gateway, asked to stop",
    facts({}, { isStopAsked: true, mark: null }),
    { cause: "signal", outcome: "cancelled", isFinished: false },
  ],
  [
    "asked to stop when it was dead already: the order is not what it died of (T1)",
    facts({}, { isStopAsked: true, isStopLate: true }),
    { cause: "unknown", outcome: "cancelled", isFinished: true, isAsked: true },
  ],
  [
    "given back by its owner, its turn open",
    facts({ death: "given-back" }),
    { cause: "clean", outcome: "interrupted", isFinished: false },
  ],
  [
    "seen to exit with 0",
    facts({}, exit("exit", 0)),
    { cause: "clean", outcome: "completed", isFinished: true },
  ],
  [
    "seen to exit with 3",
    facts({}, exit("exit", 3)),
    { cause: "clean", outcome: "failed", isFinished: true },
  ],
  [
    "seen to die by a signal of ours",
    facts({}, exit("signal-through-us", null, "SIGTERM")),
    { cause: "signal", isFinished: false },
  ],
  [
    "seen to die by another's signal",
    facts({}, exit("signal", null, "SIGSEGV")),
    { cause: "crash", outcome: "interrupted" },
  ],
  [
    "L7: told to end, seen to exit with 0",
    facts({}, { exit: { why: "signal-through-us", code: 0, signal: null, turn: null, asked: true } }),
    { cause: "signal", outcome: "interrupted", isFinished: false, isAsked: true },
  ],
  [
    "L7: seen to exit with 0 after the mark of its stop, by an older supervisor",
    facts({}, { ...exit("exit", 0), drain: drain("signal") }),
    { cause: "signal", outcome: "interrupted", isFinished: false },
  ],
  [
    "L7: seen to exit with 0 at a terminal",
    facts({}, { exit: { why: "exit", code: 0, signal: null, turn: "failed" } }),
    { cause: "clean", outcome: "failed", isFinished: true },
  ],
  ["seen to end by our timeout", facts({}, exit("timeout", 0)), { cause: "timeout", isFinished: false }],
  ["seen to end by a usage limit", facts({}, exit("limit", 1)), { cause: "limit" }],
  ["seen to be killed for memory", facts({}, exit("oom", null, "SIGKILL")), { cause: "oom" }],
  ["seen to be stopped", facts({}, exit("stopped", null, "SIGINT")), { cause: "signal", isFinished: true }],
  ["what was seen beats a later reboot", facts({ death: "reboot" }, exit("timeout")), { cause: "timeout" }],
])("an end is named by its evidence: %s", (_what, given, expected) => {
  const named = nameEnd(given);
  expect(named).toMatchObject(expected);
  expect(named.evidence.length, "no cause without evidence").toBeGreaterThan(0);
});

test("hermes NS-570, 85433: the mark of a stop from an earlier start of the machine is ignored, and that is reported", () => {
  const named = nameEnd(facts({ death: "reboot" }, { drain: drain("timeout") }));
  expect(named.cause).toBe("reboot");
  expect(named.evidence.join()).toMatch(/mark of its stop is ignored.*earlier start/);
});

test("hermes 85433: a mark that its owner outlived by more than its drain is ignored, and reported; exactly at the bound it counts", () => {
  const heardMs = (after: number) =>
    facts({ heartbeatAtMs: NOW + 20_000 + MARK_GRACE_MS + after }, { drain: drain("timeout") });
  expect(nameEnd(heardMs(0)).cause).toBe("timeout");
  const stale = nameEnd(heardMs(1));
  expect(stale.cause).toBe("unknown");
  expect(stale.evidence.join()).toMatch(/ignored: its owner was heard of long after/);
});
