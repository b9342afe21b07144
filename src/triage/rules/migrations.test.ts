/** A model without its migration: nothing in the bytes shows it, so no word makes it safe; an ended operation and a check do. */
import { describe, expect, it } from "vitest";
import { type Case, DONE, judge, rulesOf } from "../../../test/support/triage-facts.ts";

const model = (fields: string): string => `export const fields = [${fields}];\nexport const last = 1;\n`;
const HEAD = { "app/models/user.js": model('"name"'), "app/migrations/1.sql": "create table a (b int);\n" };
const NOW = { "app/models/user.js": model('"name", "age"') };
const verdicts = async (given: Case): Promise<string[]> => (await judge(given)).map(({ verdict }) => verdict);

describe("a model that changed without a migration (S3)", () => {
  it("is not safe on the agent's word", async () => {
    const groups = await judge({ head: HEAD, now: NOW, facts: DONE });
    expect(groups.map(({ verdict }) => verdict)).toEqual(["unknown"]);
    expect(groups.flatMap(rulesOf)).toContain("unmigrated-model");
  });

  it("is safe where an operation was ended by its author, whose capture has these very bytes", async () => {
    const seenAtEnds = { "app/models/user.js": ["op"] };
    expect(await verdicts({ head: HEAD, now: NOW, seenAtEnds, facts: DONE })).toEqual(["safe"]);
  });

  it.each([
    ["its migration came with it", { ...HEAD }, { ...NOW, "app/migrations/2.sql": "alter table a add c;\n" }],
    ["nothing here is changed by migrations", { "app/models/user.js": HEAD["app/models/user.js"] }, NOW],
    [
      "a test of it changed",
      { ...HEAD, "tests/models/user.js": model("1") },
      { "tests/models/user.js": model("2") },
    ],
  ])("says nothing where %s", async (_, head, now) => {
    expect((await judge({ head, now, facts: DONE })).flatMap(rulesOf)).not.toContain("unmigrated-model");
  });
});
