import { describe, expect, it } from "vitest";
import fc from "../../test/support/fast-check.ts";
import { mergeLines, wholeLines } from "./merge-lines.ts";

const merge = (base: string, ours: string, theirs: string): string | null =>
  mergeLines(wholeLines(base), wholeLines(ours), wholeLines(theirs))?.join("") ?? null;

describe("mergeLines", () => {
  it("takes what each side changed in its own place", () => {
    expect(merge("a\nb\nc\nd\n", "A\nb\nc\nd\n", "a\nb\nc\nD\n")).toBe("A\nb\nc\nD\n");
    expect(merge("a\nb\nc\n", "a\nb\nc\n", "a\nc\n")).toBe("a\nc\n");
    expect(merge("", "", "new\n")).toBe("new\n");
  });

  it("takes once what both sides changed alike", () => {
    expect(merge("a\nb\nc\n", "a\nX\nc\n", "a\nX\nc\n")).toBe("a\nX\nc\n");
  });

  it("has no answer where both changed the same line, neighbouring lines or inserted at one place", () => {
    expect(merge("a\nb\nc\n", "a\nX\nc\n", "a\nY\nc\n")).toBeNull();
    expect(merge("a\nb\nc\nd\n", "a\nB\nc\nd\n", "a\nb\nC\nd\n")).toBeNull();
    expect(merge("a\nd\n", "a\nb\nd\n", "a\nc\nd\n")).toBeNull();
  });

  it("sees a missing line break at the end as a difference", () => {
    expect(merge("a\nb\nc", "A\nb\nc", "a\nb\nc\n")).toBe("A\nb\nc\n");
  });

  it("gives a side back when the other changed nothing, whatever the texts", () => {
    const text = fc
      .array(fc.constantFrom("a\n", "b\n", "}\n", "\n"), { maxLength: 30 })
      .map((lines) => lines.join(""));
    fc.assert(
      fc.property(text, text, (base, side) => {
        expect(merge(base, base, side)).toBe(side);
        expect(merge(base, side, base)).toBe(side);
        expect(merge(base, side, side)).toBe(side);
      }),
    );
  });
});
