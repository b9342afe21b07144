/** Real agents behind `refloat acp`, offline, with the SDK's client as the editor: a prompt, a kill in a tool, session/load, and on it goes. */
import { expect, it } from "vitest";
import { BIN } from "../../support/cli.ts";
import { needAgent } from "../../support/needs.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { agentsRoot } from "./agent-clis.ts";
import type { AcpEvidence, AcpOrder } from "./inside-acp.ts";
import { inNamespaces } from "./run-situation.ts";

const AGENTS: readonly Pick<AcpOrder, "agent" | "words" | "acp">[] = [
  { agent: "opencode", words: 1, acp: ["acp"] },
  { agent: "qwen", words: 2, acp: ["--auth-type", "openai", "--yolo", "--acp"] },
  { agent: "copilot", words: 1, acp: ["--acp", "--allow-all-tools", "--no-auto-update"] },
];

it.each(AGENTS)(
  "C4, D4: $agent killed in a tool goes on by session/load in the same session; nothing is recorded twice",
  async (speaks) => {
    needAgent(speaks.agent);
    const places = { folder: temporaryFolder(), root: agentsRoot(), refloat: [process.execPath, BIN] };
    const order = { ...speaks, ...places };
    const found = await inNamespaces<AcpEvidence>("inside-acp.ts", order, `${speaks.agent}, acp`);
    expect(found.killed.code).toBe(137);
    expect(found.replayed).toBeGreaterThan(0);
    expect([found.stopReason, found.notes]).toEqual(["end_turn", "line one\nline two\n"]);
    expect(found.sessions).toMatchObject([{ state: "finished", cause: "clean" }]);
    const said = JSON.stringify(found.log.items);
    for (const words of [
      "SCENARIO:tool",
      "SCENARIO:clean",
      "Step 1: create half.txt.",
      "I will create notes.txt.",
    ])
      expect(said.split(words).length - 1, words).toBe(1);
    // Qwen's program says of it, while it dies, that it failed; the others say nothing.
    const cutOff = found.show.calls.filter(({ status }: { status: string }) => status !== "done");
    expect(cutOff).toMatchObject([{ status: expect.stringMatching(/interrupted|unknown-outcome|failed/) }]);
  },
  400_000,
);
