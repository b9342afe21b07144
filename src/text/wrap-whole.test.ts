import { expect, it } from "vitest";
import { wrapWhole } from "./wrap-whole.ts";

it("never breaks a command in marks over two lines, and wraps everything else (T6)", () => {
  const text = "It is held by somebody: `refloat -C '/a b' claim break x --reason WHY` takes it over.";
  expect(wrapWhole(text, 30)).toEqual([
    "It is held by somebody:",
    "`refloat -C '/a b' claim break x --reason WHY`",
    "takes it over.",
  ]);
  expect(wrapWhole("one two\nthree", 5)).toEqual(["one", "two", "three"]);
  expect(wrapWhole("x".repeat(12), 5)).toEqual(["xxxxx", "xxxxx", "xx"]);
  expect(wrapWhole("", 5)).toEqual([""]);
});
