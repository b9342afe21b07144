import { describe, expect, it } from "vitest";
import fc from "../../../test/support/fast-check.ts";
import { MAX_HEARD_DEPTH } from "../../model/limits.ts";
import { heardJson } from "./heard-json.ts";

const nested = (levels: number, open: string, close: string): string =>
  `${open.repeat(levels)}1${close.repeat(levels)}`;

describe("JSON that an agent wrote", () => {
  it("is what it is, and null where it is none", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: MAX_HEARD_DEPTH / 2 }), (value) => {
        const text = JSON.stringify(value);
        expect(JSON.stringify(heardJson(text))).toBe(text);
      }),
    );
    expect(heardJson('{"half')).toBeNull();
  });

  it.each([
    ["lists", "[", "]"],
    ["objects", '{"a":', "}"],
    ["fields named like a part of every object", '{"__proto__":', "}"],
  ])(
    "T5: of %s nested without end its upper levels are there, and it can be gone through",
    (_of, open, close) => {
      for (const levels of [MAX_HEARD_DEPTH, MAX_HEARD_DEPTH + 1, 1_000_000]) {
        const text = JSON.stringify(heardJson(`{"id":"a","deep":${nested(levels, open, close)},"then":[2]}`));
        expect(text).toMatch(/^\{"id":"a","deep":/);
        expect(text).toMatch(/,"then":\[2\]\}$/);
        expect(text.includes("nested too deep")).toBe(levels >= MAX_HEARD_DEPTH);
      }
    },
  );
});
