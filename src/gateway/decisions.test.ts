/** Every decision of a gateway as a table: pure functions, no process, no store. */
import { describe, expect, test } from "vitest";
import { decideConfirmation } from "./decide-confirmation.ts";
import { decideDelivery, type SendEnd } from "./decide-delivery.ts";
import { decideLoop, type EarlierStart } from "./decide-loop.ts";
import { decideResume, type ResumeFacts } from "./decide-resume.ts";
import { DEFAULT_POLICY } from "./policy.ts";

const NOW = 1_000_000_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe("resuming", () => {
  const fresh: ResumeFacts = {
    isSuspended: false,
    isAskedToStop: false,
    isAuthorised: true,
    isLoop: false,
    dirtyEnds: 1,
    discoveredAtMs: NOW,
    lastSignMs: NOW - MINUTE,
  };

  test.each<[what: string, facts: Partial<ResumeFacts>, answer: string]>([
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
    ["three dirty ends (L2)", { dirtyEnds: 3, isLoop: true }, "too-many-dirty-ends"],
    ["not authorised", { isAuthorised: false, isLoop: true }, "not-authorised"],
    ["the loop guard tripped", { isLoop: true }, "restart-loop"],
  ])("%s: %j gives %s", (_what, facts, answer) => {
    const decision = decideResume({ ...fresh, ...facts }, NOW, DEFAULT_POLICY);
    expect(decision.kind === "resume" ? "resume" : decision.why).toBe(answer);
  });
});

describe("the loop guard", () => {
  const start = (agoMs: number, interrupted = 1, isSettled = false): EarlierStart => ({
    atMs: NOW - agoMs,
    interrupted,
    isSettled,
  });
  const every = (ms: number, count: number): EarlierStart[] =>
    Array.from({ length: count }, (_, i) => start((i + 1) * ms));

  test.each<[what: string, earlier: EarlierStart[], interrupted: number, chain: number, isTripped: boolean]>([
    ["the first start", [], 1, 1, false],
    ["nothing to resume now", every(1000, 5), 0, 0, false],
    ["two starts", every(1000, 1), 1, 2, false],
    ["three starts of a 1 s cycle", every(1000, 2), 1, 3, true],
    ["three starts of a 150 s cycle: a window of 60 s would miss it", every(150_000, 2), 1, 3, true],
    ["gaps of exactly the limit", every(300_000, 2), 1, 3, true],
    ["gaps over the limit", every(300_001, 2), 1, 1, false],
    ["a long chain, though its beginning is hours ago", every(200_000, 40), 1, 41, true],
    ["a gap in the middle ends the chain", [start(1000), start(400_000), start(401_000)], 1, 2, false],
    ["starts with nothing to resume do not count", [start(1000, 0), start(2000, 0)], 1, 1, false],
    ["... and do not end the chain", [start(1000), start(2000, 0), start(3000)], 1, 3, true],
    [
      "a start that finished all it resumed ends the chain",
      [start(1000), start(2000, 1, true), start(3000)],
      1,
      2,
      false,
    ],
    ["a stamp from the future counts as adjacent", [start(-DAY), start(1000)], 1, 3, true],
  ])("%s", (_what, earlier, interrupted, chain, isTripped) => {
    expect(decideLoop(earlier, interrupted, NOW, DEFAULT_POLICY)).toEqual({ chain, isTripped });
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
