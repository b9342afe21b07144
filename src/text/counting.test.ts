import { describe, expect, it } from "vitest";
import fc from "../../test/support/fast-check.ts";
import { count, digits, ordinal } from "./counting.ts";

describe("numbers as people say them", () => {
  it("digits come in threes, as toLocaleString has them, for every whole number", () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (n) => {
        expect(digits(n)).toBe(n.toLocaleString("en-US"));
      }),
    );
    expect([0, 999, 1000, -1000, 1234567].map(digits)).toEqual(["0", "999", "1,000", "-1,000", "1,234,567"]);
  });

  it("one is one and all else is many, none too", () => {
    expect([count(1, "file"), count(0, "file"), count(1200, "entry", "entries")]).toEqual([
      "1 file",
      "0 files",
      "1,200 entries",
    ]);
  });

  it("the eleventh is no elevenst", () => {
    expect([1, 2, 3, 4, 11, 12, 13, 21, 112].map(ordinal).join(" ")).toBe(
      "1st 2nd 3rd 4th 11th 12th 13th 21st 112th",
    );
  });
});
