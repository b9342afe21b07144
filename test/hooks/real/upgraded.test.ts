/**
 * Agents upgraded under us: set up by `init` in an older version, killed and started again, then the same in the newer one, offline. A second version of
 * each is as long an installation as the first, so this is asked for by `npm run setup:agents -- --all --older`: the full sweep (REFLOAT_SWEEP=full) needs it and
 * says what it lacks; any other run, CI's too, shows the agents that are there in two versions, and of the others only that the table names the right ones.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { agentNamed } from "../../../src/agents/registry.ts";
import {
  AGENTS,
  type AgentName,
  agentsRoot,
  isInstalled,
  isOlderInstalled,
  olderRoot,
  olderVersionOf,
  versionOf,
} from "../../agents/real/agent-clis.ts";
import { BIN } from "../../support/cli.ts";
import { need } from "../../support/needs.ts";
import { isFull } from "../../support/seed.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { upgradeRun } from "./upgraded-run.ts";

const HERE = AGENTS.filter(
  (agent) => isInstalled(agentsRoot(), agent) && isOlderInstalled(agentsRoot(), agent),
);

const DOCS = readFileSync(join(import.meta.dirname, "../../../docs/hooks.md"), "utf8");

it.each(AGENTS)(
  "the two versions of %s that were tried are those of the table, and the adapter names them",
  (agent) => {
    const { versions, title = "" } = agentNamed(agent) ?? {};
    expect(versions).toEqual([olderVersionOf(agent), versionOf(agent)]);
    expect(DOCS).toContain(`| ${title} | ${olderVersionOf(agent)}, ${versionOf(agent)} |`);
  },
);

const WANTED = isFull ? AGENTS : HERE;

/** Whose model reads what a hook prints. */
const isTold = (agent: AgentName): boolean => agent !== "continue" && agent !== "copilot";

it.each(WANTED)(
  "K2, L7: %s, set up in an older version and upgraded, tells of both, the call that was cut off is named, its model told once, and uninstall leaves it working",
  (agent) => {
    need("agent CLIs");
    if (!HERE.includes(agent)) need("older agent CLIs");
    const { lives, without, sessions, inspected } = upgradeRun({
      ...{ agent, older: olderRoot(agentsRoot()), newer: agentsRoot() },
      ...{ folder: temporaryFolder(), refloat: [process.execPath, BIN] },
    });
    expect([...lives.map(({ next }) => next.code), without.code]).toEqual([0, 0, 0]);
    expect(without.events).toEqual([]);
    for (const { notices } of [...lives.map(({ killed }) => killed), without])
      expect(notices.every((count) => count === 0)).toBe(true);
    for (const { next } of lives)
      expect(next.notices.every((count) => count === (isTold(agent) ? 1 : 0))).toBe(true);
    const cutOff = inspected.filter((_, at) => sessions[at]?.state === "interrupted");
    expect(cutOff.length).toBe(2);
    if (agent === "continue") return;
    for (const { events } of lives.flatMap(({ killed, next }) => [killed, next]))
      expect(events.length).toBeGreaterThan(4);
    for (const { calls } of cutOff) {
      const open = calls.filter(({ status }: { status: string }) => status !== "done");
      expect(open).toMatchObject([{ status: "unknown-outcome" }]);
      expect(JSON.stringify(open[0]?.input)).toContain("sleep 3600");
    }
    expect(sessions.filter(({ state, cause }) => state === "finished" && cause === "clean").length).toBe(2);
  },
  600_000,
);
