import { spawn } from "node:child_process";
import { expect, it, onTestFinished } from "vitest";
import { systemProcesses } from "../platform/process-table.ts";
import { signalTree } from "./signal-tree.ts";

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
  const query = { mark: "s.1.x", seen: [other], self: process.pid };
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
