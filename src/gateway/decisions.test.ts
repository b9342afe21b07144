/** Every decision of a gateway as a table: pure functions, no process, no store. */
import { describe, expect, test } from "vitest";
import { decideConfirmation } from "./confirmations.ts";
import { decideLoop, NO_LOOP } from "./decide-loop.ts";
import { decideResume, type TurnResumeFacts } from "./decide-resume.ts";
import { decideDelivery, type SendEnd } from "./deliveries.ts";
import { type InstanceFacts, nameInstanceEnd } from "./name-instance-end.ts";
import { DEFAULT_POLICY } from "./policy.ts";
import { type WaitFacts, waitOf } from "./receive-input.ts";
import { type CutOffTurn, sharedEnds } from "./recover.ts";

const NOW = 1_000_000_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe("resuming", () => {
  const tripped = { chain: 3, isTripped: true, untilMs: NOW + MINUTE };
  const fresh: TurnResumeFacts = {
    isSuspended: false,
    isAskedToStop: false,
    isAuthorised: true,
    left: null,
    loop: { ...NO_LOOP, chain: 1 },
    isCutByDrain: false,
    isShared: false,
    dirtyEnds: 1,
    discoveredAtMs: NOW,
    lastSignMs: NOW - MINUTE,
  };

  test.each<[what: string, facts: Partial<TurnResumeFacts>, answer: string]>([
    ["found just now, down for a minute", {}, "resume"],
    ["down for an hour: freshness counts from discovery", { lastSignMs: NOW - HOUR }, "resume"],
    ["found exactly the fresh time ago", { discoveredAtMs: NOW - HOUR, lastSignMs: NOW - HOUR }, "resume"],
    ["found longer ago than that", { discoveredAtMs: NOW - HOUR - 1, lastSignMs: NOW - HOUR - 1 }, "stale"],
    ["down for exactly the longest time", { lastSignMs: NOW - DAY }, "resume"],
    ["down for longer", { lastSignMs: NOW - DAY - 1 }, "stale"],
    ["the last sign lies in the future: the clock was set back", { lastSignMs: NOW + DAY }, "resume"],
    [
      "suspended beats everything (L4)",
      { isSuspended: true, isAskedToStop: true, dirtyEnds: 9 },
      "suspended",
    ],
    ["asked to stop (L4)", { isAskedToStop: true, dirtyEnds: 9 }, "asked-to-stop"],
    ["two dirty ends", { dirtyEnds: 2 }, "resume"],
    ["three dirty ends (L2)", { dirtyEnds: 3, loop: tripped }, "too-many-dirty-ends"],
    [
      "three, the last perhaps a newcomer's: held, not suspended",
      { dirtyEnds: 3, isShared: true },
      "restart-loop",
    ],
    ["the same when the guard has let go", { dirtyEnds: 3, left: "restart-loop" }, "resume"],
    [
      "four, the last perhaps a newcomer's: forgiven once (L2)",
      { dirtyEnds: 4, isShared: true },
      "too-many-dirty-ends",
    ],
    ["two, the last perhaps a newcomer's", { dirtyEnds: 2, isShared: true }, "resume"],
    ["not authorised", { isAuthorised: false, loop: tripped }, "not-authorised"],
    ["the loop guard tripped", { loop: tripped }, "restart-loop"],
    ["left before as stale: only a lift changes that", { left: "stale" }, "stale"],
    [
      "given up before, and lifted by an input that is to be answered",
      { left: "too-many-dirty-ends" },
      "too-many-dirty-ends",
    ],
    ["held by the guard before, which has let go", { left: "restart-loop" }, "resume"],
    ["not authorised before, and authorised now", { left: "not-authorised" }, "resume"],
  ])("%s: %j gives %s", (_what, facts, answer) => {
    const decision = decideResume({ ...fresh, ...facts }, NOW, DEFAULT_POLICY);
    expect(decision.kind === "resume" ? "resume" : decision.why).toBe(answer);
  });
});

describe("going on alone", () => {
  const facts: TurnResumeFacts = {
    isSuspended: false,
    isAskedToStop: false,
    isAuthorised: true,
    left: null,
    loop: { ...NO_LOOP, chain: 1 },
    dirtyEnds: 1,
    isShared: false,
    isCutByDrain: false,
    discoveredAtMs: NOW,
    lastSignMs: NOW,
  };
  test.each<[what: string, facts: Partial<TurnResumeFacts>, isAlone: boolean]>([
    ["its first dirty end", {}, false],
    ["one more would suspend it (L2)", { dirtyEnds: 2 }, true],
    ["one more would trip the guard (L2)", { loop: { ...NO_LOOP, chain: 2 } }, true],
    ["a drain cut it off: nothing in it ended the process", { dirtyEnds: 2, isCutByDrain: true }, false],
  ])("%s", (_what, more, isAlone) => {
    expect(decideResume({ ...facts, ...more }, NOW, DEFAULT_POLICY)).toEqual({ kind: "resume", isAlone });
  });
});

describe("who else may have done it", () => {
  const suspect = { turn: "s", process: "p", dirtyEnds: 3, resumes: 2 };
  const newcomer = { turn: "n", process: "p", dirtyEnds: 1, resumes: 0 };
  test.each<[what: string, beside: readonly CutOffTurn[], shared: string[]]>([
    ["nobody was there", [], []],
    ["a conversation's first message", [newcomer], ["s"]],
    ["a first message in another process", [{ ...newcomer, process: "q" }], []],
    ["one that was resumed: it was there before, and nothing happened", [{ ...newcomer, resumes: 1 }], []],
    ["one that has such an end on its record", [{ ...newcomer, dirtyEnds: 2 }], []],
    ["two that were there before and a newcomer", [{ ...suspect, turn: "t" }, newcomer], ["s", "t"]],
  ])("%s", (_what, beside, shared) => {
    expect(sharedEnds([suspect, ...beside])).toEqual(shared);
  });

  test("newcomers do not clear each other: the first end is everybody's own", () => {
    expect(sharedEnds([newcomer, { ...newcomer, turn: "m" }])).toEqual([]);
  });
});

describe("the loop guard", () => {
  const every = (ms: number, count: number): number[] =>
    Array.from({ length: count }, (_, i) => NOW - (i + 1) * ms);

  test.each<[what: string, resumedAtMs: number[], chain: number, isTripped: boolean]>([
    ["a first interruption, whatever other starts found (L2)", [], 1, false],
    ["resumed once and lost again", every(1000, 1), 2, false],
    ["twice, in a 1 s cycle", every(1000, 2), 3, true],
    ["twice, in a 150 s cycle: a window of 60 s would miss it", every(150_000, 2), 3, true],
    ["gaps of exactly the limit", every(300_000, 2), 3, true],
    ["gaps over the limit", every(300_001, 2), 1, false],
    ["a long chain, though its beginning is hours ago", every(200_000, 40), 41, true],
    ["a gap in the middle ends the chain", [NOW - 1000, NOW - 400_000, NOW - 401_000], 2, false],
    ["a stamp from the future counts as adjacent", [NOW + DAY, NOW - 1000], 3, true],
  ])("%s", (_what, resumedAtMs, chain, isTripped) => {
    const decision = decideLoop({ resumedAtMs, heldAtMs: null }, NOW, DEFAULT_POLICY);
    expect(decision).toEqual({ chain, isTripped, untilMs: isTripped ? NOW + 5 * MINUTE : null });
  });

  test.each<[what: string, heldAtMs: number, isTripped: boolean]>([
    ["held a moment ago", NOW - 1, true],
    ["held a minute less than the gap ago", NOW - 4 * MINUTE, true],
    ["held for the gap", NOW - 5 * MINUTE, true],
    ["held for longer: it lets go by itself", NOW - 5 * MINUTE - 1, false],
    ["held by a clock that is a little ahead", NOW + MINUTE, true],
    ["held by a clock that was days ahead: it would hold for days", NOW + DAY, false],
  ])("%s", (_what, heldAtMs, isTripped) => {
    const resumedAtMs = [heldAtMs - 1000, heldAtMs - 2000];
    expect(decideLoop({ resumedAtMs, heldAtMs }, NOW, { ...DEFAULT_POLICY, loopStarts: 4 })).toMatchObject({
      isTripped,
    });
  });
});

describe("how an instance ended", () => {
  const facts: InstanceFacts = { death: "no-such-process", wasDraining: false, note: null, oomRecord: null };
  const alive = { kind: "alive" } as const;
  const exited = (code: number, error: string | null = null) => ({ kind: "exited", code, error }) as const;
  test.each<[what: string, facts: Partial<InstanceFacts>, cause: string, evidence: string]>([
    ["nothing was left", {}, "unknown", "nobody saw"],
    ["killed by a signal: it could not write its end", { note: alive }, "crash", "killed by a signal"],
    ["its pid is another's by now", { death: "pid-reused", note: alive }, "crash", "killed by a signal"],
    ["an error nobody caught", { note: exited(1, "TypeError: x") }, "crash", "TypeError: x"],
    ["it exited with a code", { note: exited(3) }, "crash", "exit code 3"],
    ["it exited with 0 and had not closed the gateway", { note: exited(0) }, "unknown", "exit code 0"],
    ["killed in its drain", { wasDraining: true, note: alive }, "signal", "told to end"],
    ["killed for memory", { note: alive, oomRecord: "Killed process 1" }, "oom", "the kernel says"],
    [
      "the machine was started again",
      { death: "reboot", wasDraining: true, note: alive },
      "reboot",
      "started again",
    ],
  ])("%s", (_what, more, cause, evidence) => {
    const end = nameInstanceEnd({ ...facts, ...more });
    expect(end.cause).toBe(cause);
    expect(end.evidence.join("; ")).toContain(evidence);
  });
});

describe("what a receipt says its turn waits for (T1)", () => {
  const open: WaitFacts = { phase: "open", suspended: null, isAttended: true, heldBy: null };
  test.each<[what: string, facts: Partial<WaitFacts>, waitsFor: string, because: string | null]>([
    ["nothing", {}, "nothing", null],
    ["recovery runs", { phase: "starting" }, "start", "not done"],
    ["recovery failed: the gate stays closed", { phase: "failed" }, "restart", "failed"],
    ["a drain", { phase: "draining", suspended: "x", isAttended: false }, "restart", "ending"],
    [
      "suspended, and nobody attends it",
      { suspended: "3 dirty ends", isAttended: false },
      "lift",
      "3 dirty ends",
    ],
    ["suspended and attended: this input lifts it", { suspended: "x" }, "nothing", null],
    ["another process has it", { heldBy: "bot (pid 7)" }, "holder", "bot (pid 7)"],
  ])("%s", (_what, more, waitsFor, because) => {
    const wait = waitOf({ ...open, ...more });
    expect(wait).toEqual({ waitsFor, because: because === null ? null : expect.stringContaining(because) });
  });
});

describe("delivering", () => {
  test.each<[sends: SendEnd[], ageMs: number, answer: unknown]>([
    [[], 0, { kind: "send", mayBeDuplicate: false, afterMs: 0 }],
    [["begun"], 0, { kind: "send", mayBeDuplicate: true, afterMs: 0 }],
    [["did-not-arrive"], 0, { kind: "send", mayBeDuplicate: false, afterMs: 500 }],
    [["did-not-arrive", "did-not-arrive"], 0, { kind: "send", mayBeDuplicate: false, afterMs: 1000 }],
    [
      Array<SendEnd>(40).fill("did-not-arrive"),
      HOUR,
      { kind: "send", mayBeDuplicate: false, afterMs: MINUTE },
    ],
    [["may-have-arrived"], 0, { kind: "send", mayBeDuplicate: true, afterMs: 500 }],
    [["begun", "did-not-arrive"], 0, { kind: "send", mayBeDuplicate: true, afterMs: 1000 }],
    [["begun", "may-have-arrived", "begun"], 0, { kind: "abandon", why: expect.stringContaining("3 sends") }],
    [["did-not-arrive"], DAY + 1, { kind: "abandon", why: expect.stringContaining("too long") }],
  ])("after %j, owed for %i ms: %j", (sends, ageMs, answer) => {
    expect(decideDelivery({ owedAtMs: NOW - ageMs, sends }, NOW, DEFAULT_POLICY)).toEqual(answer);
  });
});

describe("confirming", () => {
  const asked = { atMs: NOW - 1000, instance: "here" };
  test.each<[what: string, facts: Parameters<typeof decideConfirmation>[0], answer: string]>([
    ["asked here and answered now", { asked, instance: "here", isAnsweredNow: true }, "granted"],
    [
      "asked, and this input is something else",
      { asked, instance: "here", isAnsweredNow: false },
      "not-answered",
    ],
    ["a yes to nothing", { asked: null, instance: "here", isAnsweredNow: true }, "never-asked"],
    ["asked before a restart", { asked, instance: "new", isAnsweredNow: true }, "restarted"],
    [
      "too long ago",
      { asked: { ...asked, atMs: NOW - 5 * MINUTE - 1 }, instance: "here", isAnsweredNow: true },
      "too-old",
    ],
    [
      "from the future: the clock was set back",
      { asked: { ...asked, atMs: NOW + HOUR }, instance: "here", isAnsweredNow: true },
      "too-old",
    ],
  ])("%s", (_what, facts, answer) => {
    const decision = decideConfirmation(facts, NOW, DEFAULT_POLICY);
    expect(decision.kind === "granted" ? "granted" : decision.why).toBe(answer);
  });
});
