/** What must hold for any work, however it was cut. */
import { describe, expect, it } from "vitest";
import fc from "../../../test/support/fast-check.ts";
import { type Case, COMPLETED, ENDED, factsOf, judge } from "../../../test/support/triage-facts.ts";
import { createMemoryCache } from "../facts/known/kept.ts";
import { createParsers } from "../facts/parse/parsers.ts";
import { judgeChanges } from "./judge.ts";

const FULL = `const { join } = require("node:path");

function place(folder, name) {
  return join(folder, name);
}

function names(list) {
  return list.map((one) => one.name);
}

module.exports = { place, names };
`;
const parsers = createParsers();
const RUNS = 150;

describe("a verdict, for any work", () => {
  it("is never safe for a new file cut off at any byte, whatever its agent says (S3)", async () => {
    const whole = {
      head: {},
      now: { "src/index.js": FULL },
      facts: { operations: [ENDED], turns: [COMPLETED] },
    };
    expect((await judge(whole)).map(({ verdict }) => verdict)).toEqual(["safe"]);
    for (let at = 1; at < FULL.length - 1; at++) {
      const cut = factsOf({ ...whole, now: { "src/index.js": FULL.slice(0, at) } });
      const [group] = await judgeChanges(cut, parsers);
      expect([at, group?.verdict]).not.toEqual([at, "safe"]);
    }
  });

  it("is never safe inside an open operation, and is the same however often it is asked (S3, J3)", async () => {
    const line = fc.constantFrom(
      "const a = 1;",
      "exports.b = 2;",
      "// note",
      "",
      "function f() {}",
      "}",
      "- [ ] task",
    );
    const text = fc.array(line, { maxLength: 12 }).map((lines) => lines.map((one) => `${one}\n`).join(""));
    const path = fc.constantFrom("src/a.js", "b.md", "c.py", "d.json", "e.yaml", "f", ".env");
    const tree = fc.dictionary(path, text, { minKeys: 1, maxKeys: 4 });
    await fc.assert(
      fc.asyncProperty(tree, tree, async (head, now) => {
        const operations = [{ ...ENDED, state: "open", endedSeq: null } as const];
        const given: Case = { head, now, facts: { operations, turns: [COMPLETED] } };
        const facts = factsOf(given);
        const groups = await judgeChanges(facts, parsers);
        expect(groups.map(({ verdict }) => verdict)).not.toContain("safe");
        expect(await judgeChanges(facts, parsers)).toEqual(groups);
        const paths = groups.flatMap(({ changes }) => changes.map(({ change }) => change.path)).sort();
        expect(paths).toEqual(facts.changes.map(({ change }) => change.path).sort());
      }),
      { numRuns: RUNS },
    );
  });

  it("is the same from what was kept of an earlier look, without reading a byte again", async () => {
    const given: Case = {
      head: { "src/a.js": FULL, "README.md": "a\n" },
      now: { "src/a.js": FULL.replace("one.name", "one.title"), "README.md": "b\n" },
      facts: { operations: [ENDED] },
    };
    const cache = createMemoryCache();
    const first = await judgeChanges({ ...factsOf(given), cache }, parsers);
    const bytesOf = async (): Promise<never> => {
      throw new Error("read again");
    };
    const again = await judgeChanges({ ...factsOf(given), cache, bytesOf }, parsers);
    expect(again).toEqual(first);
    expect(first.map(({ verdict }) => verdict)).toEqual(["safe"]);
  });
});
