/** Real agents with `refloat mcp` beside them, offline: the mock model calls its tools, and the session that the agent runs in has what it said. */
import { expect, it } from "vitest";
import { BIN } from "../../support/cli.ts";
import { need } from "../../support/needs.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { type AgentName, agentsRoot } from "./agent-clis.ts";
import { runSituation } from "./run-situation.ts";

const AGENTS: readonly AgentName[] = ["codex", "gemini", "opencode"];

it.each(AGENTS)(
  "K5: %s begins and ends an operation and decides over MCP, in the session it runs in, and its end is told",
  async (agent) => {
    need("agent CLIs");
    const places = { folder: temporaryFolder(), root: agentsRoot(), refloat: [process.execPath, BIN] };
    const found = await runSituation({ agent, situation: "mcp", resumes: 0, ...places });
    const { sessions, inspect, ran, tree } = found;
    expect(ran.code, found.printed.slice(-2000)).toBe(0);
    expect(tree["notes.txt"]).toBe("line one\n");
    expect(sessions.sessions).toHaveLength(1);
    expect(inspect.session).toMatchObject({ id: sessions.sessions[0].id, state: "finished" });
    expect(inspect.operations).toMatchObject([{ label: "write the notes", state: "ended" }]);
    expect(inspect.decisions).toMatchObject([{ key: "format", value: "text", reason: "it is short" }]);
  },
  400_000,
);
