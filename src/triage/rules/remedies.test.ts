/** Every rule that speaks against a group says what a person can do, or its sentence does (T1). */
import { expect, it } from "vitest";
import { DONE, judge } from "../../../test/support/triage-facts.ts";
import { NOTE_RULES, RISKY_RULES, SAFE_RULES } from "./table.ts";

/** Its sentence ends with what to do. */
const SAY_IT_THEMSELVES = ["hidden-from-git"];

it("each rule against a group has one of a few words, and no rule for safe has", () => {
  const against = [...RISKY_RULES, ...NOTE_RULES];
  expect(against.filter(({ remedy }) => remedy === undefined).map(({ slug }) => slug)).toEqual(
    SAY_IT_THEMSELVES,
  );
  expect(SAFE_RULES.filter(({ remedy }) => remedy !== undefined)).toEqual([]);
  for (const { remedy } of against)
    if (remedy !== undefined) {
      expect(remedy).toMatch(/^[A-Z][^\n]*\.$/);
      expect(remedy.length, remedy).toBeLessThanOrEqual(64);
    }
});

it("stands beside what is said of the group, and not where a check is proposed", async () => {
  const given = (after: string) => ({ head: { "a.js": "f();\n" }, now: { "a.js": after }, facts: DONE });
  const [broken] = await judge(given("f(;\n"));
  expect(broken?.reasons.map(({ rule, remedy }) => [rule, remedy !== undefined])).toEqual([["parse", true]]);
  const [proposed] = await judge({
    head: { "a.sql": "select 1;\n" },
    now: { "a.sql": "select 2;\n" },
    facts: DONE,
  });
  const [reason] = proposed?.reasons ?? [];
  expect([reason?.message, reason?.remedy]).toEqual([expect.stringContaining("--verify"), undefined]);
});
