import { describe, expect, it } from "vitest";
import fc from "../../test/support/fast-check.ts";
import { diffLines, hunksOf, linesOf } from "./diff-lines.ts";

const brief = (from: string, to: string): string =>
  diffLines([...from], [...to])
    .map(({ kind, text }) => ({ same: " ", gone: "-", new: "+" })[kind] + text)
    .join("");

describe("a diff of lines", () => {
  it("gives both texts back, with their line numbers, whatever they are", () => {
    const lines = fc.array(fc.constantFrom("a", "b", "c", ""), { maxLength: 30 });
    fc.assert(
      fc.property(lines, lines, (from, to) => {
        const diff = diffLines(from, to);
        const left = diff.filter(({ kind }) => kind !== "new");
        const right = diff.filter(({ kind }) => kind !== "gone");
        expect(left.map(({ text }) => text)).toEqual(from);
        expect(right.map(({ text }) => text)).toEqual(to);
        expect(left.map((line) => line.from)).toEqual(from.map((_, i) => i + 1));
        expect(right.map((line) => line.to)).toEqual(to.map((_, i) => i + 1));
      }),
    );
  });

  it("is as short as it can be", () => {
    expect(brief("abc", "axc")).toBe(" a-b+x c");
    expect(brief("abcabba", "cbabac").replace(/[^-+]/g, "")).toHaveLength(5);
    expect(brief("", "ab")).toBe("+a+b");
    expect(brief("same", "same")).toBe(" s a m e");
  });

  it("gives up on texts with nothing in common in bounded time and still gives both back", () => {
    const from = Array.from({ length: 20_000 }, (_, i) => `old ${i}`);
    const to = Array.from({ length: 20_000 }, (_, i) => `new ${i}`);
    const diff = diffLines(from, to);
    expect(diff).toHaveLength(40_000);
    expect(diff.some(({ kind }) => kind === "same")).toBe(false);
  });

  it("cuts it into hunks with three lines around each change", () => {
    const from = Array.from({ length: 30 }, (_, i) => `${i}`);
    const to = from.with(5, "x").with(25, "y");
    const hunks = hunksOf(diffLines(from, to));
    expect(hunks.map(({ lines }) => lines.length)).toEqual([8, 8]);
    expect(hunksOf(diffLines(from, from))).toEqual([]);
  });

  it("takes a text without a line break at its end as whole lines", () => {
    expect(linesOf("a\nb")).toEqual(["a", "b"]);
    expect(linesOf("a\n\n")).toEqual(["a", ""]);
    expect(linesOf("")).toEqual([]);
  });
});
