import { expect, it } from "vitest";
import fc from "../../test/support/fast-check.ts";
import { jsonText } from "./json-text.ts";

it("writes JSON that holds no character a terminal acts on, and that means exactly the same (T3)", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string({ unit: "binary" }), (value, text) => {
      const written = jsonText({ value, text });
      expect(written).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
      expect(JSON.stringify(JSON.parse(written))).toBe(JSON.stringify({ value, text }));
    }),
  );
  expect(jsonText("\u009b31m\u202e\u2028")).toBe('"\\u009b31m\\u202e\\u2028"');
});
