/**
 * The brief of interrupted agents beside what a person who read everything would tell: the facts of each run were listed before
 * (interrupted-runs.ts). At least 95 of 100 stand in the brief within 1,500 tokens, and nothing false does.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { tokensOf } from "../../src/text/cut-to-bytes.ts";
import { plainSession } from "../agents/plain-session.ts";
import { heardBrief } from "./heard-brief.ts";
import { type InterruptedRun, RECORDED, TOLD } from "./interrupted-runs.ts";

const BUDGET = 1500;
const RUNS = [...RECORDED, ...TOLD];
const WANTED = 0.95;
/** REFLOAT_WRITE_BRIEFS: where to, for whoever reads them beside the transcripts. */
const WRITE_TO = process.env.REFLOAT_WRITE_BRIEFS ?? "";

const found = { facts: 0, told: 0, missing: [] as string[], mostTokens: 0 };

async function briefOfRun({ make, before = [] }: InterruptedRun): Promise<string> {
  const session = make();
  for (const args of before) await session.refloat(...args);
  const { brief } = await heardBrief(session, BUDGET);
  expect(tokensOf(brief.markdown)).toBeLessThanOrEqual(BUDGET);
  return brief.markdown;
}

describe("the brief of an interrupted agent", () => {
  it("is looked at for at least thirty runs", () => {
    expect(RUNS.length).toBeGreaterThanOrEqual(30);
  });

  it.each(RUNS.map((run) => [run.title, run] as const))(
    "of %s says nothing that is not so",
    async (title, run) => {
      const markdown = await briefOfRun(run);
      if (WRITE_TO !== "") {
        mkdirSync(WRITE_TO, { recursive: true });
        writeFileSync(join(WRITE_TO, `${title.replaceAll(/[^a-z0-9]+/gi, "-")}.md`), markdown);
      }
      for (const words of run.never) expect(markdown, title).not.toContain(words);
      const missing = run.has.filter((fact) => !markdown.includes(fact));
      found.facts += run.has.length;
      found.told += run.has.length - missing.length;
      found.missing.push(...missing.map((fact) => `${title}: ${fact}`));
      found.mostTokens = Math.max(found.mostTokens, tokensOf(markdown));
    },
  );

  it("tells at least 95 of 100 facts that were listed before, within 1,500 tokens", () => {
    expect(found.told / found.facts, found.missing.join("\n")).toBeGreaterThanOrEqual(WANTED);
  });

  afterAll(() => {
    const { told, facts, mostTokens, missing } = found;
    console.log(
      `briefs: ${told} of ${facts} facts of ${RUNS.length} runs, at most ${mostTokens} tokens${missing.length > 0 ? `; not there: ${missing.join("; ")}` : ""}`,
    );
  });
});

describe("`refloat handoff` where an agent was started plainly (S1)", () => {
  it.each([
    ...["claude", "codex", "copilot", "opencode", "pi", "qwen", "goose", "hermes", "gptme"].map(
      (agent) => [`${agent}/killed-in-tool`, "echo begin >> half.txt"] as const,
    ),
    ["continue/killed-in-tool-in-window", "echo begin >> half.txt"] as const,
    ["gemini/killed-in-tool", "Step 2: run the slow migration."] as const,
    ["aider/killed-in-tool", "/run make migrate"] as const,
  ])(
    "%s: the first time it is asked, says what was asked and what was being done",
    async (fixture, doing) => {
      const session = plainSession(fixture, { files: { "half.txt": "begin file\nbegin\n" } });
      const stdout = await session.refloat("handoff");
      expect(stdout).toMatch(/^# Handoff: session `[0-9a-f]{20}`/);
      expect(stdout).toMatch(/## Goal\n\n`[^`]*(?:do the scripted work|make migrate)/);
      expect(stdout).toContain(doing);
      expect(stdout).not.toContain("1 safe");
    },
  );
});
