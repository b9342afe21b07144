/** What the user's check can say for a group and against it, and what it cannot. */
import { describe, expect, it } from "vitest";
import { type Case, COMPLETED, ENDED, judge, rulesOf } from "../../../test/support/triage-facts.ts";
import type { CheckOutcome, TriageFacts } from "../facts/known/triage-facts.ts";

const done = { operations: [ENDED], turns: [COMPLETED] };
const lines = (count: number, word = "line"): string =>
  Array.from({ length: count }, (_, at) => `${word} number ${at}\n`).join("");

/** The one group of a case, judged again with what the check said of it. */
async function checked(given: Case, group: CheckOutcome, head: CheckOutcome = "passed") {
  const [first] = await judge(given);
  const verify = { command: "make test", head, groups: new Map([[first?.id ?? "", group]]), clashing: [] };
  const [again] = await judge({ ...given, facts: { ...given.facts, verify } satisfies Partial<TriageFacts> });
  return { verdict: again?.verdict, rules: again ? rulesOf(again) : [] };
}

describe("verified", () => {
  const plain: Case = { head: { "a.txt": "a\n" }, now: { "a.txt": "b\n" } };

  it("is evidence where nobody's word is: it passes with the group and on HEAD alone", async () => {
    expect(await checked(plain, "passed")).toEqual({ verdict: "safe", rules: ["verified"] });
  });

  it("is evidence in a language that is not followed here, for an edit that leaves the end alone", async () => {
    const go = `package a\n\n${lines(6, "// about")}func f() int {\n\treturn 1\n}\n\nfunc last(number int) int {\n\treturn number + 1\n}\n`;
    const given: Case = { head: { "a.go": go }, now: { "a.go": go.replace("return 1", "return 2") } };
    expect((await checked(given, "passed")).verdict).toBe("safe");
  });

  it.each([
    ["HEAD itself fails", plain, "passed", "failed"],
    ["HEAD was not tried", plain, "passed", "not-run"],
    ["it did not run with the group", plain, "not-run", "passed"],
  ] as const)("is none where %s", async (_, given, group, head) => {
    expect((await checked(given, group, head)).verdict).toBe("unknown");
  });

  it.each([
    ["interrupted", { ...COMPLETED, outcome: "interrupted", endedBy: "exit" }, "unknown"],
    ["stopped by a person", { ...COMPLETED, outcome: "cancelled" }, "unknown"],
    [
      "still open when its agent died",
      { ...COMPLETED, outcome: null, endedSeq: null, endedBy: null },
      "unknown",
    ],
    ["ended by an exit code alone", { ...COMPLETED, endedBy: "exit" }, "safe"],
    ["told of afterwards, without an end", { ...COMPLETED, outcome: null, endedBy: "inferred" }, "safe"],
  ] as const)(
    "of work whose turn was %s: half of it would pass as well (S3, DESIGN 8)",
    async (_, turn, verdict) => {
      const given: Case = { ...plain, facts: { turns: [turn] } };
      expect((await checked(given, "passed")).verdict).toBe(verdict);
      expect((await judge(given))[0]?.reasons.some(({ check }) => check !== undefined)).toBe(false);
    },
  );

  it("speaks for a piece that was ended by itself, though its turn was cut off", async () => {
    const turns = [{ ...COMPLETED, outcome: "interrupted", endedBy: "exit" }] as const;
    const given: Case = { ...plain, now: { "a.sql": "b\n" }, facts: { turns, operations: [ENDED] } };
    expect(await checked(given, "passed")).toEqual({ verdict: "safe", rules: ["verified"] });
  });

  it("never wins over something risky (S3)", async () => {
    const given: Case = { head: { "a.go": "package a\n" }, now: { "a.go": "package a\nfunc f(\n" } };
    expect((await checked(given, "passed")).verdict).toBe("risky");
  });

  it.each([
    ["prose that lost its end", { head: { "README.md": lines(30) }, now: { "README.md": lines(20) } }],
    ["code that lost its end", { head: { "a.lua": lines(30) }, now: { "a.lua": lines(20) } }],
    ["new code that could go on", { head: {}, now: { "a.go": `package a\n\n${lines(6, "// about")}` } }],
    [
      "a body that is still to be written",
      { head: { "a.rb": "x = 1\n" }, now: { "a.rb": "def f\n  # TODO: implement\nend\n" } },
    ],
  ] as const)("does not speak for %s: a check passes on half a file, too", async (_, given) => {
    const { verdict, rules } = await checked(given as Case, "passed");
    expect(verdict).toBe("unknown");
    expect(rules).not.toContain("verified");
  });

  it("speaks for the rest of a group whose journal has its own evidence, and the group is safe", async () => {
    const given: Case = {
      head: { "journal/a.md": "a\n", "a.txt": "a\n" },
      now: { "journal/a.md": "a\nb\n", "a.txt": "b\n" },
      facts: { operations: [{ ...ENDED, paths: ["journal/a.md", "a.txt"] }] },
    };
    expect((await checked(given, "passed")).verdict).toBe("safe");
  });
});

describe("check-failed", () => {
  const work: Case = {
    head: { "a.js": "exports.a = 1;\n" },
    now: { "a.js": "exports.a = 2;\n" },
    facts: done,
  };

  it("takes the agent's word away: work that is closed and sound is not safe where the user's check fails (T2)", async () => {
    expect((await judge(work))[0]?.verdict).toBe("safe");
    const { verdict, rules } = await checked(work, "failed");
    expect(verdict).toBe("unknown");
    expect(rules).toContain("check-failed");
  });

  it.each([
    ["HEAD fails it, too", "failed", "failed"],
    ["it was not tried", "not-run", "passed"],
  ] as const)("is silent where %s: the word stands as it stood", async (_, group, head) => {
    const { verdict, rules } = await checked(work, group, head);
    expect(verdict).toBe("safe");
    expect(rules).not.toContain("check-failed");
  });
});
