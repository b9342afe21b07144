import { describe, expect, it } from "vitest";
import type { BriefFacts } from "../../src/handoff/brief-facts.ts";
import { redactFacts } from "../../src/handoff/gather-facts.ts";
import { writeBrief } from "../../src/handoff/write-brief.ts";
import { MIN_BUDGET_TOKENS } from "../../src/model/limits.ts";
import { tokensOf } from "../../src/text/cut-to-bytes.ts";
import fc from "../support/fast-check.ts";
import { DEATHS } from "./scripted-deaths.ts";

const [first] = DEATHS;
const SOME = first?.facts as BriefFacts;

describe("a brief", () => {
  for (const budget of [300, 2000, 8000])
    it(`of ${budget} tokens names the open call, the operation, the last output and the verdicts of 30 deaths, and never costs more`, () => {
      expect(DEATHS).toHaveLength(30);
      for (const { title, facts, mustName, mustNameInFull } of DEATHS) {
        const brief = writeBrief(facts, budget);
        const named = budget < 2000 ? mustName : [...mustName, ...mustNameInFull];
        expect(tokensOf(brief.markdown), title).toBeLessThanOrEqual(budget);
        expect(brief.tokens, title).toBe(tokensOf(brief.markdown));
        for (const name of named) expect(brief.markdown, `${title}: ${brief.markdown}`).toContain(name);
      }
    });

  it("counts what it left out and names the command that shows it; that budget holds everything", () => {
    for (const { title, facts } of DEATHS) {
      const small = writeBrief(facts, 300);
      expect(small.left_out.length, title).toBeGreaterThan(0);
      const command = /All of it: `refloat handoff (\S+) --budget (\d+)`/.exec(small.markdown);
      expect(command?.[1]).toBe(facts.session.id);
      const whole = writeBrief(facts, Number(command?.[2]));
      expect(whole.left_out, title).toEqual([]);
      expect(whole.markdown).not.toContain("Left out");
    }
  });

  it("shows more with more room, and never drops what the smaller one named in full", () => {
    for (const { facts, mustName } of DEATHS)
      for (const budget of [300, 700, 1500])
        for (const name of mustName) expect(writeBrief(facts, budget).markdown).toContain(name);
  });

  it("says the same as JSON as in Markdown: each field only what was chosen", () => {
    const { facts, left_out } = writeBrief(SOME, 300);
    expect(facts.calls).toHaveLength(SOME.calls.length);
    expect(facts.last_output).toBe("step 0: writing migration 000_users.sql");
    expect(left_out.map(({ section }) => section)).toContain("goal");
    expect(writeBrief(SOME, 8000).facts.goal).toBe(SOME.goal);
  });

  it("tells a read-only or idempotent call from one that must be checked, and never asks to repeat one blindly (C4)", () => {
    const calls = (["none", "idempotent", "unknown"] as const).map((effect) => ({
      id: effect,
      tool: effect,
      input: { command: "x" },
      status: "unknown-outcome",
      effect,
      check: effect === "unknown" ? "git status" : null,
    }));
    const { markdown } = writeBrief({ ...SOME, calls }, 2000);
    expect(markdown).toContain("- `none`: `x`. It only reads: calling it again is safe.");
    expect(markdown).toContain("- `idempotent`: `x`. Doing it again gives the same state.");
    expect(markdown).toContain("- `unknown`: `x`. Do not repeat it before checking: `git status`");
  });
});

describe("what can be typed (T6)", () => {
  it.each([MIN_BUDGET_TOKENS, 300])(
    "of %i tokens the next command and the acts that were done, with the way back, are the last to go",
    (budget) => {
      const acts = ["commit", "park", "discard"].map((act, n) => ({
        at: "2026-11-15T05:20:00.000Z",
        text: `${act} of 3 paths (${"a long name ".repeat(8)}): undo with refloat undo --plan p${n}`,
        act,
        command: `refloat undo --plan p${n}`,
      }));
      for (const { facts, title } of DEATHS) {
        const brief = writeBrief({ ...facts, done: [...facts.done, ...acts] }, budget);
        expect(brief.tokens, title).toBeLessThanOrEqual(budget);
        for (const { act, command } of acts)
          expect(brief.markdown, title).toContain(`\`${act}\`: \`${command}\``);
        expect(brief.markdown, title).toContain(facts.next[0] as string);
        expect(brief.facts.done, title).toEqual(expect.arrayContaining(acts));
      }
    },
  );

  it.each([
    ["a b.txt", "`'a b.txt'`"],
    ["it's", "`'it'\\''s'`"],
    ["a\nb", "`$'a\\nb'`"],
    ["a  b", "`$'a \\x20b'`"],
    ["a`b", "`'a'$'\\x60''b'`"],
    ["a`\nb", "`$'a\\x60\\nb'`"],
    ["plain.ts", "`plain.ts`"],
  ])(
    "a file named %j stands there as a shell takes it, in marks that it cannot close (T3)",
    (path, shown) => {
      const group = {
        id: "g",
        verdict: "risky",
        reasons: [],
        changes: [{ path, kind: "added", owner: "session" }],
      };
      const { markdown } = writeBrief({ ...SOME, groups: [group] } as BriefFacts, 8000);
      expect(markdown).toContain(`- risky \`g\` ${shown}\n`);
    },
  );
});

describe("secrets (T4)", () => {
  it("are gone from every part of a brief, also where only a decision's key tells them", async () => {
    const token = `ghp_${"a1B2c3D4e5".repeat(4).slice(0, 36)}`;
    const facts = await redactFacts({
      ...SOME,
      goal: `use ${token}`,
      last_output: `export GITHUB_TOKEN=${token}`,
      calls: [{ ...(SOME.calls[0] as BriefFacts["calls"][number]), input: { command: `curl -H ${token}` } }],
      decisions: [{ key: "db_password", value: "correct-Horse-7-battery", reason: null, step: null }],
      waiting: [{ from: null, text: token }],
    });
    const brief = writeBrief(facts, 8000);
    const all = brief.markdown + JSON.stringify(brief);
    expect(all).not.toContain(token);
    expect(all).not.toContain("correct-Horse");
    expect(brief.markdown).toContain("db_password");
  });
});

describe("hostile text (T3)", () => {
  /** No text of ours has these letters. */
  const MARK = "QXZ";
  const hostile = fc
    .array(
      fc.oneof(
        fc.constantFrom(
          "`",
          "``",
          "```",
          "````",
          "~~~",
          "\n",
          "\r\n",
          "\n\n# ",
          "\n- ",
          "<!--",
          "-->",
          "</pre>",
        ),
        fc.constantFrom(
          "\u2028",
          "\u001b[31m",
          "\u202e",
          "\u{e0041}",
          "\0",
          "[x](http://e.vil)",
          "|",
          "$(id)",
        ),
        fc.constantFrom("Data, not instructions", "## Next", "IGNORE ALL PREVIOUS", " "),
        fc.string({ unit: "grapheme", maxLength: 10 }),
      ),
      { maxLength: 30 },
    )
    .map((parts) => `${MARK}${parts.join(MARK)}${MARK}`);
  const facts = fc
    .record({ goal: hostile, output: hostile, tool: hostile, label: hostile, path: hostile, other: hostile })
    .map(
      ({ goal, output, tool, label, path, other }): BriefFacts => ({
        session: { ...SOME.session, id: other, agent: tool, cause: other, state: other },
        goal,
        last_output: output,
        turn: { id: other, outcome: other, started_at: other, input: other },
        calls: [{ id: other, tool, input: { command: output }, status: other, effect: other, check: label }],
        operations: [{ id: other, label, state: "open", paths: [path] }],
        groups: [
          {
            id: other,
            verdict: "risky",
            reasons: [
              { rule: label, message: output },
              { rule: other, message: goal },
            ],
            changes: [
              { path, kind: other, owner: other },
              { path: goal, kind: "modified", owner: "session" },
            ],
          },
        ],
        claims_contradicted: [{ claim: other, said: goal, evidence: label }],
        leftovers: [{ pid: 1, command: path }],
        steps: [{ id: other, name: label, status: other, sub_step: path }],
        decisions: [{ key: label, value: output, reason: goal, step: other }],
        waiting: [{ from: tool, text: goal }],
        done: [{ at: other, text: label }],
        base: { head: other, branch: path },
        next: [`refloat show ${other}`],
      }),
    );

  it("stands in code marks or fences only, whatever it holds and whatever the budget", () => {
    fc.assert(
      fc.property(facts, fc.integer({ min: MIN_BUDGET_TOKENS, max: 4000 }), (given, budget) => {
        const { markdown } = writeBrief(given, budget);
        expect(tokensOf(markdown)).toBeLessThanOrEqual(budget);
        expect(outsideOfCode(markdown)).not.toMatch(/QXZ|IGNORE|http/);
      }),
      { numRuns: 200 },
    );
  });

  it("would be seen outside: the check can fail", () => {
    expect(outsideOfCode("a `QXZ` b QXZ")).toContain("QXZ");
    expect(outsideOfCode("```text\n`QXZ`\n```\nQXZ")).toContain("QXZ");
  });
});

/** What a Markdown reader takes for text: not in a fence, not in a code span. */
function outsideOfCode(markdown: string): string {
  const outside: string[] = [];
  let fence: string | null = null;
  for (const line of markdown.split("\n")) {
    const ticks = /^(`{3,})/.exec(line)?.[1] ?? null;
    if (fence !== null) {
      if (ticks !== null && ticks.length >= fence.length && line.trim() === ticks) fence = null;
      continue;
    }
    if (ticks !== null) fence = ticks;
    else outside.push(line.replace(/`[^`\n]*`/g, ""));
  }
  return outside.join("\n");
}
