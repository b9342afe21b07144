import { expect, test } from "vitest";
import fc from "../../test/support/fast-check.ts";
import { isDeeper, jsonDepth } from "./json-depth.ts";

test("T5: whether a text is nested deeper than a bound is the same by its brackets' number and by its characters; brackets in strings are none", () => {
  const piece = fc.constantFrom("[", "]", "{", "}", '"[["', '"{', "//[\n", "/*{*/", "1,", "\\", "é");
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), fc.integer({ min: 0, max: 12 }), (pieces, limit) => {
      const text = pieces.join("");
      expect(isDeeper(text, limit)).toBe(jsonDepth(Buffer.from(text)) > limit);
    }),
  );
  expect(isDeeper(`"${"[".repeat(300)}"`, 200)).toBe(false);
  expect(isDeeper("[".repeat(201), 200)).toBe(true);
});
