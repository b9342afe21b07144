import { describe, expect, it } from "vitest";
import { globMatcher } from "./glob.ts";

const table: readonly [glob: string, path: string, isMatch: boolean][] = [
  ["*.log", "a.log", true],
  ["*.log", "deep/down/a.log", true],
  ["*.log", "a.log.js", false],
  ["journal/**", "journal/2026/a.md", true],
  ["journal/**", "src/journal/a.md", false],
  ["/refloat.json", "refloat.json", true],
  ["/refloat.json", "sub/refloat.json", false],
  ["tasks/**/*.md", "tasks/a.md", true],
  ["tasks/**/*.md", "tasks/x/y/a.md", true],
  ["tasks/**/*.md", "tasks/x/a.py", false],
  ["packages/gptmail", "packages/gptmail/src/a.py", true],
  ["packages/gptmail", "packages/gptmail2", false],
  ["src/{a,b}.ts", "src/b.ts", true],
  ["src/{a,b}.ts", "src/c.ts", false],
  ["[!a]x", "bx", true],
  ["[!a]x", "ax", false],
  ["a+b(c)", "a+b(c)", true],
  ["a?c", "a/c", false],
  ["./src/", "src/x", true],
  ["a{b", "a{b", true],
  ["[", "[", true],
];

describe("globs", () => {
  it.each(table)("%s on %s: %s", (glob, path, isMatch) => {
    expect(globMatcher([glob])(path)).toBe(isMatch);
  });

  it("match nothing when there are none", () => {
    expect(globMatcher([])("a")).toBe(false);
  });

  it("take no glob for a regular expression of the user's, whatever its characters", () => {
    for (const glob of ["(a+)+$", "\\", "a|b", "{a,", "}", "^", "[]", "[\\", "a]b"])
      expect(() => globMatcher([glob])("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!")).not.toThrow();
  });
});
