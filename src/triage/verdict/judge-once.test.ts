/** What was judged once is known again by all of its facts, and by nothing less (J3, S3). */
import { describe, expect, it } from "vitest";
import { type Case, COMPLETED, ENDED, factsOf } from "../../../test/support/triage-facts.ts";
import type { PathName } from "../../model/path-name.ts";
import { type AnalysisCache, createMemoryCache } from "../facts/known/kept.ts";
import type { TriageFacts } from "../facts/known/triage-facts.ts";
import { judgeOnce } from "./judge-once.ts";

const SOUND = "export const a = 1;\nexport const b = 2;\n";
const CASE: Case = {
  head: { "a.js": SOUND, "b.js": 'import { a } from "./a.js";\nexport default a;\n' },
  now: { "a.js": SOUND.replace("1", "10"), "c.js": 'import { b } from "./a.js";\nexport const c = b;\n' },
  facts: { operations: [ENDED], turns: [COMPLETED] },
};
const COMMIT = "a".repeat(40);

/** How many judgings are kept in it. */
function countedCache(): { cache: AnalysisCache; judgings: () => number } {
  const kept = createMemoryCache();
  let count = 0;
  const set = (key: string, value: string): void => {
    if (/^\S+ groups /.test(key)) count++;
    kept.set(key, value);
  };
  return { cache: { get: kept.get, set }, judgings: () => count };
}

const unreadable = (): never => {
  throw new Error("nothing is read a second time");
};

describe("a judging that is kept", () => {
  it("is given again whole, with the very changes of the second look, and nothing is read for it (P10)", async () => {
    const { cache } = countedCache();
    const first = await judgeOnce({ ...factsOf(CASE), cache }, COMMIT);
    const facts: TriageFacts = { ...factsOf(CASE), cache, bytesOf: unreadable };
    const head = { list: unreadable, read: unreadable, mentioning: unreadable };
    const again = await judgeOnce({ ...facts, head }, COMMIT);
    expect(again).toEqual(first);
    expect(facts.changes).toContain(again[0]?.changes[0]);
  });

  it.each([
    ["of another shape", (text: string) => text.replaceAll('"verdict":"', '"verdict":"very ')],
    ["of other changes", (text: string) => text.replaceAll('"changes":[', '"changes":[7,')],
    ["of fewer changes", () => "[]"],
  ])("is judged anew where it is %s, and then it is kept again", async (_, spoil) => {
    const { cache, judgings } = countedCache();
    const first = await judgeOnce({ ...factsOf(CASE), cache }, COMMIT);
    const get = (key: string): string | undefined => {
      const text = cache.get(key);
      return text !== undefined && / groups /.test(key) ? spoil(text) : text;
    };
    expect(await judgeOnce({ ...factsOf(CASE), cache: { get, set: cache.set } }, COMMIT)).toEqual(first);
    expect(judgings()).toBe(2);
  });

  it("is not believed of anything else: each fact is part of what it is known by (S3)", async () => {
    const { cache, judgings } = countedCache();
    const facts = { ...factsOf(CASE), cache };
    await judgeOnce(facts, COMMIT);
    const path = "a.js" as PathName;
    const [first, ...more] = facts.changes;
    if (!first) throw new Error("nothing changed");
    const others: Partial<TriageFacts>[] = [
      { changes: [{ ...first, owner: { ...first.owner, owner: "other" } }, ...more] },
      { changes: [{ ...first, writes: [{ fromSeq: 1, toSeq: 2, call: "other" }] }, ...more] },
      { changes: more },
      { operations: [{ ...ENDED, state: "open", endedSeq: null }] },
      { calls: [{ ...CALL, outcome: "failed" }] },
      { calls: [CALL] },
      { turns: [] },
      { said: [{ seq: 1, channel: "stdout", text: "BEGIN" }] },
      { gaps: [{ path, reason: "moving" }] },
      { moving: { paths: [path], why: "a process lives" } },
      { pathRules: { ...facts.pathRules, journal: ["a.js"] } },
      { overrides: [{ path, stateKey: "x", verdict: "safe", reason: "read", by: "Ann" }] },
      { verify: { command: "true", head: "passed", groups: new Map([["g1", "passed"]]), clashing: [] } },
      { verify: { command: "true", head: "passed", groups: new Map([["g1", "failed"]]), clashing: [] } },
      { sightings: [{ path, session: "s", capture: "c", atMs: 1, stateKey: "x", isWritten: false }] },
    ];
    for (const other of others) await judgeOnce({ ...facts, ...other }, COMMIT);
    await judgeOnce(facts, "b".repeat(40));
    await judgeOnce(facts, null);
    expect(judgings()).toBe(1 + others.length + 2);
  });

  it("is never one that did not see all it asked for, nor one of a part of a file (W4, T5)", async () => {
    const { cache, judgings } = countedCache();
    const facts = { ...factsOf(CASE), cache };
    const { head } = facts;
    const moved: Case = { ...CASE, now: { "a.js": null, "c.js": SOUND } };
    await judgeOnce({ ...facts, bytesOf: async () => null }, COMMIT);
    await judgeOnce({ ...facts, isPart: () => true }, COMMIT);
    await judgeOnce({ ...facts, head: { ...head, read: async () => null } }, COMMIT);
    await judgeOnce({ ...factsOf(moved), cache, head: { ...head, mentioning: async () => null } }, COMMIT);
    expect(judgings()).toBe(0);
    await judgeOnce({ ...facts, isPart: () => false }, COMMIT);
    expect(judgings()).toBe(1);
  });
});

const CALL = {
  id: "c1",
  tool: "shell",
  command: "true",
  startedSeq: 1,
  endedSeq: 2,
  outcome: "done",
  paths: [],
  mayWrite: true,
} as const;
