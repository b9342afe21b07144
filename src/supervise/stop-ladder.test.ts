import { spawn } from "node:child_process";
import { describe, expect, it, onTestFinished } from "vitest";
import { manualClock } from "../../test/support/manual-clock.ts";
import { systemProcesses } from "../platform/process-table.ts";
import { defaultLadder } from "./agent.ts";
import { StopLadder, signalTree } from "./stop-ladder.ts";

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function story(drainMs: number, diesOf: NodeJS.Signals | null) {
  const clock = manualClock(0);
  const did: string[] = [];
  let die = (): void => undefined;
  const exited = new Promise<void>((resolve) => {
    die = resolve;
  });
  const ladder = new StopLadder(defaultLadder(drainMs), {
    clock,
    exited,
    send: ({ signal, to }) => {
      did.push(`${signal} ${to}`);
      if (signal === diesOf) die();
    },
    capture: async () => {
      did.push("capture");
    },
  });
  return { clock, did, ladder, die, end: ladder.climb() };
}

describe("the stop ladder", () => {
  it("stops at the signal the agent ends on, and sends no other", async () => {
    const { did, end } = story(20_000, "SIGINT");
    expect(await end).toBe(true);
    expect(did).toEqual(["SIGINT group"]);
  });

  it("waits the whole drain before SIGTERM, with a capture between, and kills after that", async () => {
    const { clock, did, end } = story(6000, "SIGKILL");
    await settle();
    clock.step(5999);
    await settle();
    expect(did).toEqual(["SIGINT group"]);
    clock.step(1);
    await settle();
    expect(did).toEqual(["SIGINT group", "capture", "SIGTERM tree"]);
    clock.step(1000);
    await settle();
    expect(did.at(-1)).toBe("SIGKILL tree");
    expect(await end).toBe(true);
  });

  it("goes to the next rung at once when it is told again, one rung each time", async () => {
    const { did, ladder, end } = story(1e9, "SIGKILL");
    await settle();
    ladder.hurry();
    await settle();
    expect(did.at(-1)).toBe("SIGTERM tree");
    ladder.hurry();
    await settle();
    expect(did.at(-1)).toBe("SIGKILL tree");
    expect(await end).toBe(true);
  });

  it("sends nothing more once the agent has ended in the middle of its drain", async () => {
    const { did, die, end } = story(1e9, null);
    await settle();
    die();
    expect(await end).toBe(true);
    expect(did).toEqual(["SIGINT group"]);
  });

  it("says so when not even the last signal ends it", async () => {
    const { clock, end } = story(600, null);
    for (let n = 0; n < 5; n += 1) {
      await settle();
      clock.step(1000);
    }
    expect(await end).toBe(false);
  });

  it("has sent its last signal after 7 seconds of a drain of 6: CI systems repeat theirs after 7.5", () => {
    const rungs = defaultLadder(6000);
    expect(rungs.slice(0, -1).reduce((sum, { waitMs }) => sum + waitMs, 0)).toBe(7000);
    expect(rungs.at(-1)?.signal).toBe("SIGKILL");
  });
});

interface Started {
  readonly pid: number;
  readonly started: number;
  readonly ended: Promise<NodeJS.Signals | null>;
}

/** In a group of its own, as an agent is started, and as one of its tools may start a session of its own. */
function sleeper(): Started {
  const child = spawn("sleep", ["600"], { detached: true, stdio: "ignore" });
  const ended = new Promise<NodeJS.Signals | null>((done) =>
    child.on("exit", (_code, signal) => done(signal)),
  );
  onTestFinished(() => void child.kill("SIGKILL"));
  const pid = child.pid ?? 0;
  return { pid, started: systemProcesses.statusOf(pid)?.started ?? 0, ended };
}

it("S2: signals nobody but the agent's own group where it cannot be asked who holds another live session", async () => {
  const [agent, other] = [sleeper(), sleeper()];
  const query = { mark: "s.1.x", seen: [other], self: process.pid, isShared: () => false };
  signalTree({ agent: agent.pid, signal: "SIGTERM", query, liveOwners: null });
  expect(await agent.ended).toBe("SIGTERM");
  const again = sleeper();
  signalTree({ agent: again.pid, signal: "SIGTERM", query, liveOwners: [other] });
  expect(await again.ended).toBe("SIGTERM");
  // Known to hold nothing, it is signalled, and ends by this signal: none of those before reached it.
  const last = sleeper();
  signalTree({ agent: last.pid, signal: "SIGUSR1", query, liveOwners: [] });
  expect([await last.ended, await other.ended]).toEqual(["SIGUSR1", "SIGUSR1"]);
});
