/** docs/origins.md is complete: every row of the four documents, each with a test of this folder that names it. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

/** How many rows each document has, by its first and last number. */
const ROWS = { "001": [1, 28], "002": [29, 46], "003": [1, 46], "000": [47, 70] } as const;

const page = readFileSync(join(import.meta.dirname, "../../docs/origins.md"), "utf8");
const rows = [...page.matchAll(/^\| (\d{3}\.\d+) \| ([^|]+) \| ([^|]+) \| ([^|]*)\|$/gm)].map(
  ([, id = "", asked = "", here = "", test = ""]) => ({ id, asked, here, test: test.trim() }),
);

/** The ids that titles of a file begin with: "origin 001.1, 001.2: ...". */
const titled = new Map(
  readdirSync(import.meta.dirname)
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => {
      const text = readFileSync(join(import.meta.dirname, name), "utf8");
      const ids = [...text.matchAll(/origin ((?:\d{3}\.\d+(?:, )?)+):/g)].flatMap(([, list = ""]) =>
        list.split(", "),
      );
      return [name.replace(".test.ts", ""), new Set(ids)] as const;
    }),
);

describe("the page of the origins", () => {
  it("origin 001.28: has every row once, in order, and says of each how it is", () => {
    const expected = Object.entries(ROWS).flatMap(([document, [first, last]]) =>
      Array.from({ length: last - first + 1 }, (_, i) => `${document}.${first + i}`),
    );
    expect(rows.map(({ id }) => id)).toEqual(expected);
    for (const { id, here } of rows) expect(here, id).toMatch(/\*\*(as asked|more|differs|not yet)\*\*/);
  });

  it("names for every row a test of this folder whose title begins with it; only what is not yet there has none", () => {
    const missing = rows.filter(({ id, test, here }) =>
      test === "" ? !here.startsWith("**not yet**") : !titled.get(test)?.has(id),
    );
    expect(missing.map(({ id, test }) => `${id} ${test}`)).toEqual([]);
  });

  it("says why wherever it differs or something is missing", () => {
    const bare = rows.filter(({ here }) => /^\*\*(differs|not yet)\*\*\s*$/.test(here.trim()));
    expect(bare.map(({ id }) => id)).toEqual([]);
  });
});
