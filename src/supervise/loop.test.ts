import { describe, expect, it } from "vitest";
import { manualClock } from "../../test/support/manual-clock.ts";
import type { LoopLimits, SessionEnd } from "./decide-loop.ts";
import { type LoopNews, type LoopParts, runLoop } from "./loop.ts";

const DONE: SessionEnd = {
  session: "s",
  code: 0,
  state: "finished",
  cause: "clean",
  hasProgress: true,
  call: null,
  resetsAtMs: null,
};
const KILLED: SessionEnd = { ...DONE, code: 137, state: "interrupted", cause: "crash", hasProgress: false };
const LIMITS: LoopLimits = { max: 3, maxTimeMs: null, backoffMs: 0, suspendAfter: 3, onLimit: "exit" };

/** A loop over sessions that end as told; time goes on by itself while it sleeps. */
function loopOver(ends: readonly SessionEnd[], more: Partial<LoopParts> = {}) {
  const clock = manualClock(1_000_000);
  const did: string[] = [];
  const news: LoopNews[] = [];
  const parts: LoopParts = {
    clock: {
      ...clock,
      sleep: async (ms) => {
        clock.step(ms);
      },
    },
    recover: async () => {
      did.push("recover");
      return { suspended: null };
    },
    settle: async () => {
      did.push("settle");
    },
    lift: async (session) => {
      did.push(`lift ${session}`);
    },
    suspend: async (session) => {
      did.push(`suspend ${session}`);
    },
    handoff: async () => {
      did.push("handoff");
      return { path: "/brief.md", text: "", isEmpty: false };
    },
    session: async ({ number }) => {
      did.push(`session ${number}`);
      return ends[number - 1] ?? DONE;
    },
    isGoalReached: async () => null,
    hasStopFile: () => false,
    signal: () => null,
    tell: async (one) => {
      news.push(one);
    },
    ...more,
  };
  return {
    clock,
    did,
    news,
    run: (limits: Partial<LoopLimits> = {}) => runLoop(parts, { ...LIMITS, ...limits }),
  };
}

describe("the loop", () => {
  it("recovers first, hands over before each session, and recovers and settles after it", async () => {
    const { run, did } = loopOver([KILLED]);
    expect(await run({ max: 2 })).toMatchObject({ why: "max", code: 0 });
    expect(did).toEqual([
      ...["recover", "handoff", "session 1", "recover", "settle"],
      ...["handoff", "session 2", "recover", "settle"],
    ]);
  });

  it("starts nothing when the goal is reached already, or the session was suspended before (L4)", async () => {
    const reached = loopOver([], { isGoalReached: async () => true });
    expect(await reached.run()).toMatchObject({ why: "goal", code: 0 });
    expect(reached.did).toEqual(["recover"]);
    const suspended = loopOver([], { recover: async () => ({ suspended: "s" }) });
    expect(await suspended.run()).toMatchObject({ why: "suspended", code: 1 });
    expect(suspended.did).toEqual([]);
  });

  it("asked to stop, it does not even look at the goal, and starts no session", async () => {
    const asked: string[] = [];
    const { run, did } = loopOver([], {
      hasStopFile: () => true,
      isGoalReached: async () => {
        asked.push("goal");
        return false;
      },
    });
    expect(await run()).toMatchObject({ why: "stop-file", code: 0 });
    expect([...did, ...asked]).toEqual(["recover"]);
  });

  it("suspends the session when nothing moves, and lifts what recovery suspended too early for the user's own number", async () => {
    const stuck = loopOver([KILLED, KILLED]);
    expect(await stuck.run({ suspendAfter: 2 })).toMatchObject({ why: "no-progress", code: 1 });
    expect(stuck.did.at(-1)).toBe("suspend s");
    let recoveries = 0;
    const recover = async () => {
      recoveries += 1;
      return { suspended: recoveries > 1 ? "s" : null };
    };
    const patient = loopOver([KILLED, KILLED, DONE], { recover });
    expect(await patient.run({ suspendAfter: null })).toMatchObject({ why: "max", code: 0 });
    expect(patient.did.filter((one) => one === "lift s")).toHaveLength(3);
    recoveries = 0;
    const strict = loopOver([KILLED], { recover });
    expect(await strict.run({ suspendAfter: 1 })).toMatchObject({ why: "suspended", code: 1 });
  });

  it("waits with a countdown, and a stop file ends the wait", async () => {
    const waited = loopOver([KILLED]);
    await waited.run({ max: 2, backoffMs: 5000 });
    expect(waited.news.filter(({ kind }) => kind === "countdown")).toHaveLength(5);
    let looks = 0;
    const stopped = loopOver([KILLED], {
      hasStopFile: () => {
        looks += 1;
        return looks > 6;
      },
    });
    expect(await stopped.run({ backoffMs: 3_600_000 })).toMatchObject({ why: "stop-file" });
    expect(stopped.did.filter((one) => one.startsWith("session"))).toHaveLength(1);
  });

  it("waits for a usage limit's end and goes on; the wait is over by the clock on the wall even after a sleep", async () => {
    const limited: SessionEnd = {
      ...KILLED,
      code: 75,
      cause: "limit",
      hasProgress: true,
      resetsAtMs: 1_600_000,
    };
    const { run, clock, did } = loopOver([limited]);
    expect(await run({ max: 2, onLimit: "wait" })).toMatchObject({ why: "max", code: 0 });
    expect(did.filter((one) => one.startsWith("session"))).toHaveLength(2);
    expect(clock.nowMs()).toBeGreaterThanOrEqual(1_660_000);
  });
});
