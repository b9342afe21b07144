/** What has one place in the house is written in no other: a second one drifts, and two faces then say two things (S7). */
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const SRC = resolve(import.meta.dirname, "../src");

const sources = readdirSync(SRC, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
  .toSorted()
  .map((path) => ({ path, text: readFileSync(join(SRC, path), "utf8") }));

const saying = (pattern: RegExp): string[] =>
  sources.filter(({ text }) => pattern.test(text)).map(({ path }) => path);

describe("one place", () => {
  it("opens a workspace, with its trust: nobody else sees another tree than everybody (T2, S7)", () => {
    expect(saying(/\bopenWorkspace\(/)).toEqual([
      "workspace/opening/workspace.ts",
      "workspace/trust/open-trusted.ts",
    ]);
  });
});
