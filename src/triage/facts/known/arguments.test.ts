/** Arguments against parameters: a table for each language, and that wider is never called narrower. */

import { describe, expect, it } from "vitest";
import fc from "../../../../test/support/fast-check.ts";
import { fits, givesInWords, isNarrower, takesInWords } from "./arguments.ts";

describe("what a call of a script gives", () => {
  it.each([
    ["0-0", "0", true],
    ["0-0", "1", false],
    ["1-2", "0", false],
    ["1-2", "2", true],
    ["1-2", "3", false],
    ["1-", "9", true],
    ["1-", "0", false],
    ["0-0|2-2", "1", false],
    ["0-0|2-2", "2", true],
    ["2-2", "1+", true],
    ["2-2", "3+", false],
  ])("a function of %s gets %s: fits %s", (takes, gives, expected) => {
    expect(fits(takes, gives)).toBe(expected);
  });
});

describe("what a call of Python gives", () => {
  it.each([
    ["(", "0", true],
    ["(", "1", false],
    ["(a", "0", false],
    ["(a", "0,a", true],
    ["(a", "1,a", false],
    ["(a,b=", "1", true],
    ["(a,b=", "1,b", true],
    ["(a,b=", "1,c", false],
    ["(a,*,b", "1", false],
    ["(a,*,b", "2", false],
    ["(a,*,b", "1,b", true],
    ["(a,/,b=", "0,a", false],
    ["(a,*+,b=", "7,b", true],
    ["(a,**", "1,any", true],
    ["(a,b", "1+", true],
    ["(a,b", "0,**", true],
    ["(a,b", "3+", false],
    ["(a,*,b", "0+", false],
    ["(a,*,b", "0+,**", true],
    ["?(a", "0", false],
  ])("a function of %s gets %s: fits %s", (takes, gives, expected) => {
    expect(fits(takes, gives)).toBe(expected);
  });
});

describe("what takes less than before", () => {
  it.each([
    ["0-0", "1-1", true],
    ["1-1", "1-2", false],
    ["1-2", "1-1", true],
    ["1-", "1-3", true],
    ["1-1", "0-", false],
    ["1-1", "1-1|3-3", false],
    ["(a", "(a,b=", false],
    ["(a", "(a,*,b=", false],
    ["(a", "(a=", false],
    ["(a", "(a,b", true],
    ["(a,b=", "(a,c=", true],
    ["(", "(a=", false],
    ["(a", "?(a", true],
  ])("%s became %s: %s", (was, is, expected) => {
    expect(isNarrower(was, is)).toBe(expected);
  });

  it("never says wider of what refuses a call that fitted (S3)", () => {
    const words = fc.uniqueArray(fc.constantFrom("a", "b=", "c", "d=", "*", "**"), { maxLength: 5 });
    const names = fc.uniqueArray(fc.constantFrom("a", "b", "c", "d"), { maxLength: 3 });
    fc.assert(
      fc.property(words, words, fc.nat(4), names, (was, is, count, given) => {
        const [old, now] = [`(${was.join(",")}`, `(${is.join(",")}`];
        const gives = [`${count}`, ...given].join(",");
        if (fits(old, gives) && !fits(now, gives)) expect(isNarrower(old, now)).toBe(true);
      }),
    );
  });
});

it("says what is taken and given in words", () => {
  expect(["1-1", "1-2", "1-", "0-0|2-2", "?(a,b=,*+,**"].map(takesInWords)).toEqual([
    "1",
    "1 to 2",
    "at least 1",
    "0 or 2",
    "(a, b=..., *args, **kwargs)",
  ]);
  expect(["0", "2+", "1,b,**"].map(givesInWords)).toEqual([
    "0 arguments",
    "at least 2 arguments",
    "1 argument, b=, **",
  ]);
});
