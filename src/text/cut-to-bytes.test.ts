import { describe, expect, it } from "vitest";
import fc from "../../test/support/fast-check.ts";
import { cutToBytes, cutToTokens, tokensOf } from "./cut-to-bytes.ts";

/** Any sequence of UTF-16 units, lone surrogates among them. */
const anyText = fc
  .array(
    fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
    ),
  )
  .map((pieces) => pieces.join(""));

describe("tokensOf", () => {
  it("counts one token for every 4 UTF-8 bytes begun", () => {
    expect(tokensOf("")).toBe(0);
    expect(tokensOf("a")).toBe(1);
    expect(tokensOf("abcd")).toBe(1);
    expect(tokensOf("abcde")).toBe(2);
    expect(tokensOf("日本")).toBe(2);
    expect(tokensOf("😀")).toBe(1);
    expect(tokensOf("\ud83d")).toBe(1);
  });
});

describe("cutToTokens", () => {
  it("gives a beginning of the text within the budget and never cuts a character in half (T5)", () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 0, max: 20 }), (text, budget) => {
        const cut = cutToTokens(text, budget);
        expect(text.startsWith(cut)).toBe(true);
        expect(tokensOf(cut)).toBeLessThanOrEqual(budget);
        expect(cut.isWellFormed() || !text.isWellFormed()).toBe(true);
      }),
    );
  });

  it("takes as much as fits: one more character would cost too much", () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 0, max: 20 }), (text, budget) => {
        const cut = cutToTokens(text, budget);
        const next = [...text.slice(cut.length)][0];
        if (next !== undefined) expect(tokensOf(cut + next)).toBeGreaterThan(budget);
      }),
    );
  });

  it("takes no budget, a negative one and one that is no number for nothing, and an endless one for all", () => {
    expect(cutToTokens("text", 0)).toBe("");
    expect(cutToTokens("text", -5)).toBe("");
    expect(cutToTokens("text", Number.NaN)).toBe("");
    expect(cutToTokens("text", Number.POSITIVE_INFINITY)).toBe("text");
  });
});

describe("cutToBytes", () => {
  it("cuts before a character that does not fit whole, lone surrogates counting as their replacement", () => {
    expect(cutToBytes("aß😀", 2)).toBe("a");
    expect(cutToBytes("aß😀", 6)).toBe("aß");
    expect(cutToBytes("aß😀", 7)).toBe("aß😀");
    expect(cutToBytes("\ud800x", 3)).toBe("\ud800");
    expect(cutToBytes("\ud800x", 2)).toBe("");
  });
});
