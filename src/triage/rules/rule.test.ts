import { expect, test } from "vitest";
import { naming } from "./rule.ts";

test("one path and several are spoken of as what they are: never '3 more is'", () => {
  expect(naming(1, "a.js")).toBe("a.js");
  expect(naming(4, "a.js")).toBe("a.js and 3 more");
  expect(naming(1, "a.js", "does not", "do not")).toBe("a.js does not");
  expect(naming(2, "a.js", "does not", "do not")).toBe("a.js and 1 more do not");
});
