import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { homeOf } from "../../test/agents/fixture-home.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { mayHaveAgents } from "./agents-here.ts";
import { AGENTS } from "./registry.ts";

const FIXTURES = join(import.meta.dirname, "../../test/agents/transcripts");

it("no agent that left something in its own place is passed over", () => {
  for (const { name } of AGENTS) {
    const home = homeOf(join(FIXTURES, name, "clean"));
    expect([name, mayHaveAgents({ HOME: home }, home)]).toEqual([name, true]);
  }
});

it("a home without agents is none, and one that a variable puts elsewhere is", () => {
  const home = temporaryFolder();
  expect(mayHaveAgents({ HOME: home }, home)).toBe(false);
  expect(mayHaveAgents({ HOME: home, CODEX_HOME: "/elsewhere" }, home)).toBe(true);
  const file = join(home, "repo", ".aider.chat.history.md");
  mkdirSync(dirname(file));
  writeFileSync(file, "");
  expect(mayHaveAgents({ HOME: home }, dirname(file))).toBe(true);
});
