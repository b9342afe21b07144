/** The whole story with a real agent, offline, in a real Chromium. The oracle is the script of the mock model: known bytes, known calls. */
import { expect, it } from "vitest";
import { agentsRoot } from "../agents/real/agent-clis.ts";
import { inNamespaces } from "../agents/real/run-situation.ts";
import { BIN } from "../support/cli.ts";
import { chromiumPath, need } from "../support/needs.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import type { StoryEvidence, StoryOrder } from "./inside-story.ts";

it("S5, W1: pi is killed, the page shows it by itself, why its work is risky is read, that is parked, the safe part committed, taken back, done again", async () => {
  need("agent CLIs", "chromium");
  const order: StoryOrder = {
    ...{ agent: "pi", folder: temporaryFolder(), root: agentsRoot() },
    ...{ refloat: [process.execPath, BIN], chromium: chromiumPath() ?? "" },
  };
  const told = await inNamespaces<StoryEvidence>("../../page/inside-story.ts", order, "the page's story");
  const { before, planned, done, back, again, committed, seen, wrong } = told;
  expect(seen.alive).toContain("shop");
  expect(seen.dead).toContain("1 risky");
  expect(seen.dead).toContain("src/cart.mjs");
  expect([planned, back]).toEqual([before, before]);
  for (const { status, log } of [done, again])
    expect([status, log.split("\n").slice(0, 2)]).toEqual(["", ["add the tax", "base"]]);
  expect(committed).toContain("src/taxed.mjs");
  expect(committed).not.toContain("src/cart.mjs");
  // C3: what it was saying when it died, and that it was cut off there.
  for (const words of ["Its checkout first.", "Now I explain at length", "cut off here"])
    expect(seen.said).toContain(words);
  expect(wrong).toEqual([]);
}, 400_000);
