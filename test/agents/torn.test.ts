/** Transcripts whose end was torn off (40 bytes) before the agent itself went on with them twice: what it made of them, and what is still heard. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { agentNamed } from "../../src/agents/registry.ts";
import { readTranscript } from "../../src/agents/transcript/read-transcript.ts";
import type { Heard } from "../../src/agents/words/heard.ts";
import { transcriptsOf } from "./hear-fixture.ts";

const FIXTURES = join(import.meta.dirname, "torn");

describe.each(readdirSync(FIXTURES))("a torn tail of %s", (name) => {
  it("costs the record that was torn and none that was glued to it, and nothing is heard twice", () => {
    const agent = agentNamed(name);
    if (agent === null) throw new Error(name);
    const heard: Heard[] = [];
    const damage: unknown[] = [];
    for (const found of transcriptsOf(agent, join(FIXTURES, name)))
      readTranscript(found, agent.transcript, {
        hear: (one) => heard.push(one),
        damaged: (one) => damage.push(one),
      });
    const asked = heard.flatMap((one) =>
      one.kind === "message" && one.from === "person" ? [JSON.stringify(one.parts)] : [],
    );
    expect(damage).toHaveLength(1);
    expect(asked).toEqual([
      expect.stringContaining("SCENARIO:clean"),
      expect.stringContaining("what were you doing?"),
      expect.stringContaining("second resume"),
    ]);
    const calls = heard.flatMap((one) => (one.kind === "call" ? [one.id] : []));
    expect(new Set(calls).size).toBe(2);
    expect(calls).toHaveLength(2);
  });
});
