/**
 * Runs killed at every crash point of the supervisor and at random instants: the agent, the supervisor, or both. After
 * each, the next start must find the right state and cause, every call with one result, no leftover of ours, nothing
 * killed that was not ours, and the output to its last whole line (K2, S2, C4, L1).
 */
import { describe, expect, it } from "vitest";
import { RUN_CRASH_POINTS } from "../../src/platform/crash-point.ts";
import { inParallel, report } from "../chaos/sweep.ts";
import { randomFrom } from "../support/random-from.ts";
import { isFull, seed } from "../support/seed.ts";
import { type KillPlan, killedRun, type Landing } from "./killed-run.ts";

const KILLS = isFull ? 200 : 30;
const SWEEP_MS = 30 * 60_000;

const VICTIMS = ["agent", "supervisor", "both"] as const;
const AFTER = ["start", "agent", "tool", "tool", "go"] as const;
const LONGEST_MS: Readonly<Record<KillPlan["after"], number>> = {
  start: 2500,
  agent: 500,
  tool: 400,
  go: 1200,
};

function randomPlan(random: (below: number) => number): KillPlan {
  const after = AFTER[random(AFTER.length)] ?? "tool";
  const victim = VICTIMS[random(VICTIMS.length)] ?? "both";
  return { victim, after, delayMs: random(LONGEST_MS[after]), isCleared: random(4) === 0 };
}

const describePlan = ({ victim, after, delayMs, crashAt }: KillPlan): string =>
  crashAt ?? `${victim} ${delayMs} ms after ${after}`;

const problemsOf = (landings: readonly Landing[]): string[] =>
  landings.flatMap(({ plan, problems, where }) =>
    problems.map((one) => `${describePlan(plan)} (at ${where}): ${one}`),
  );

function histogram(landings: readonly Landing[]): string[] {
  const counts = new Map<string, number>();
  for (const { plan, where } of landings) {
    const key = `${where.padEnd(18)} ${plan.victim}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts].toSorted().map(([key, count]) => `  ${key.padEnd(32)} ${count}`);
}

describe("a run that is killed", () => {
  it("at every crash point of the supervisor is found and settled by the next start", {
    timeout: SWEEP_MS,
  }, async () => {
    const landings: Landing[] = [];
    await inParallel(Object.keys(RUN_CRASH_POINTS), async (crashAt) => {
      landings.push(
        await killedRun({ victim: "supervisor", after: "tool", delayMs: 0, isCleared: false, crashAt }),
      );
    });
    report("Crash points of a supervisor", histogram(landings));
    expect(problemsOf(landings)).toEqual([]);
    expect(landings).toHaveLength(Object.keys(RUN_CRASH_POINTS).length);
  });

  it(`at ${KILLS} random instants is found and settled by the next start`, {
    timeout: SWEEP_MS,
  }, async () => {
    const random = randomFrom(seed);
    const plans = Array.from({ length: KILLS }, () => randomPlan(random));
    const landings: Landing[] = [];
    await inParallel(plans, async (plan) => {
      landings.push(await killedRun(plan));
    });
    report(`${KILLS} random kills of agents and supervisors`, histogram(landings));
    expect(problemsOf(landings)).toEqual([]);
    const inFlight = landings.filter(({ where }) => where === "agent.started" || where === "call.started");
    expect(inFlight.length).toBeGreaterThanOrEqual(KILLS * 0.3);
  });
});
