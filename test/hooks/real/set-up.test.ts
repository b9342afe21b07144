/** Real agents that nothing but `init` set up, offline: they start the MCP server that it wrote into their settings, and their model uses it. */
import { expect, it } from "vitest";
import { agentsRoot } from "../../agents/real/agent-clis.ts";
import { BIN } from "../../support/cli.ts";
import { need } from "../../support/needs.ts";
import { isFull } from "../../support/seed.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { setUpRun } from "./set-up-run.ts";
import { upgradeRun } from "./upgraded-run.ts";

/** As those of test/agents/real/mcp.test.ts. One in each run; all of them are minutes. */
const AGENTS = ["codex", "gemini", "opencode"] as const;
const CHOSEN = isFull ? AGENTS : (["gemini"] as const);

it.each(CHOSEN)(
  "K5: %s starts the server that `init` wrote, and what its model says there is in the session that its hooks tell of",
  (agent) => {
    need("agent CLIs");
    const places = { root: agentsRoot(), folder: temporaryFolder(), refloat: [process.execPath, BIN] };
    const { code, printed, inspected } = setUpRun({ agent, ...places });
    expect(code, printed).toBe(0);
    expect(inspected, printed).toHaveLength(1);
    expect(inspected[0]?.operations, printed).toMatchObject([{ label: "write the notes", state: "ended" }]);
    expect(inspected[0]?.decisions).toMatchObject([{ key: "format", value: "text", reason: "it is short" }]);
  },
  300_000,
);

/** One that anybody may install, in one version, in each run; all of them in two are test/hooks/real/upgraded.test.ts. */
it("K2, T1: an agent that nothing but `init` set up, killed in a tool, has its call named and its model told at the next start, once; `uninstall` takes all of it away, and it works", () => {
  need("agent CLIs");
  const folder = temporaryFolder();
  const order = { agent: "codex", older: agentsRoot(), folder, refloat: [process.execPath, BIN] } as const;
  const { lives, without, left, sessions, inspected } = upgradeRun(order);
  expect(lives.map(({ next }) => next.code)).toEqual([0]);
  expect(lives[0]?.killed.events.length).toBeGreaterThan(2);
  expect(lives[0]?.killed.notices.every((count) => count === 0)).toBe(true);
  expect(lives[0]?.next.notices.length).toBeGreaterThan(0);
  expect(lives[0]?.next.notices.every((count) => count === 1)).toBe(true);
  expect(sessions.map(({ state }) => state).toSorted()).toEqual(["finished", "interrupted"]);
  const open = inspected.flatMap(({ calls }) => calls).filter(({ status }) => status !== "done");
  expect(open).toMatchObject([{ status: "unknown-outcome" }]);
  expect([left, without.code, without.events]).toEqual([[], 0, []]);
  expect(without.notices.length).toBeGreaterThan(0);
  expect(without.notices.every((count) => count === 0)).toBe(true);
}, 300_000);
