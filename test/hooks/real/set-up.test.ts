/** Real agents that nothing but `init` set up, offline: they start the MCP server that it wrote into their settings, and their model uses it. */
import { expect, it } from "vitest";
import { agentsRoot } from "../../agents/real/agent-clis.ts";
import { BIN } from "../../support/cli.ts";
import { need } from "../../support/needs.ts";
import { isFull } from "../../support/seed.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { setUpRun } from "./set-up-run.ts";

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
