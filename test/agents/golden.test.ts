/**
 * What each agent's own files say, held as golden files: fixtures of real runs (their versions beside them), found where the agent puts
 * them, told by content, read to the last record. A change of an adapter shows here as a change of words, not of code.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { AGENTS } from "../../src/agents/registry.ts";
import { homeOf } from "./fixture-home.ts";
import { hearFixture, transcriptsOf } from "./hear-fixture.ts";

const FIXTURES = join(import.meta.dirname, "transcripts");

describe.each(AGENTS.map((agent) => [agent.name, agent] as const))("what %s left", (name, agent) => {
  const cases = readdirSync(join(FIXTURES, name)).toSorted();

  it("is there as a clean run and as one killed in a tool", () => {
    expect(cases).toEqual(expect.arrayContaining(["clean", "killed-in-tool"]));
  });

  it.each(cases)("in %s is found, told by content and read as the golden file has it", async (which) => {
    const folder = homeOf(join(FIXTURES, name, which));
    const found = transcriptsOf(agent, folder);
    if (existsSync(join(folder, "NOTHING"))) {
      // The agent keeps nothing of such an end: that is the finding.
      expect(found).toEqual([]);
      return;
    }
    expect(found.length).toBeGreaterThan(0);
    // By name: which is newest depends on the checkout.
    const byName = found.toSorted((a, b) => (a.path < b.path ? -1 : 1));
    const heard = byName.map((one) => hearFixture(agent, one));
    // Where a transcript lies may say whose it is.
    const told = JSON.stringify(heard, null, 1).replaceAll(folder, "/home");
    await expect(`${told}\n`).toMatchFileSnapshot(
      join(import.meta.dirname, "golden", `${name}-${which}.json`),
    );
  });

  it("names the version it was read from", () => {
    const version = readFileSync(join(FIXTURES, name, "clean", "VERSION"), "utf8");
    expect(agent.versions.some((one) => version.includes(one))).toBe(true);
  });
});
