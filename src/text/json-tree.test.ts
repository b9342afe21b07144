import { describe, expect, it } from "vitest";
import fc from "../../test/support/fast-check.ts";
import { jsonOf, lineOf, nodeAt, readJsonTree } from "./json-tree.ts";

const parsed = (text: string): unknown => {
  try {
    return { value: JSON.parse(text) };
  } catch (_notJson) {
    return "broken";
  }
};

describe("the tree of a JSON text", () => {
  it("reads exactly what JSON.parse reads, and calls broken what that calls broken", () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), fc.string({ maxLength: 2 }), (json, at, noise) => {
        const cut = at % (json.length + 1);
        for (const text of [json, json.slice(0, cut), json.slice(0, cut) + noise + json.slice(cut)]) {
          const tree = readJsonTree(text);
          const ours = tree.kind === "whole" ? { value: jsonOf(tree.root) } : "broken";
          // -0 and 0 are one number in every file.
          expect(JSON.stringify(ours), text).toBe(JSON.stringify(parsed(text)));
        }
      }),
    );
  });

  it.each([
    ['{"a": [1, {"b": "c"}, {"d": "e', { a: [1, { b: "c" }, {}] }],
    ['{"a": 1, "b": {"c": true, "d"', { a: 1, b: { c: true } }],
    ['{"a": 1, ', { a: 1 }],
    ["", null],
  ])("keeps what stands before the break of %s", (text, kept) => {
    const tree = readJsonTree(text);
    expect(tree.kind).toBe("broken");
    expect(tree.root ? jsonOf(tree.root) : null).toEqual(kept);
  });

  it("refuses what is nested too deep instead of overflowing", () => {
    expect(readJsonTree("[".repeat(100_000))).toMatchObject({ kind: "broken" });
  });

  it("reads comments and trailing commas only where they are allowed", () => {
    const text = '{ // one\n "a": [1, 2,], /* two */ "b": "//c", }';
    expect(readJsonTree(text).kind).toBe("broken");
    const tree = readJsonTree(text, { comments: true });
    expect(tree.kind === "whole" && jsonOf(tree.root)).toEqual({ a: [1, 2], b: "//c" });
  });

  it("finds the line of a place, or of the nearest thing around it", () => {
    const text = '{\n  "steps": {\n    "3.5": { "status":\n "x" }\n  }\n}';
    const tree = readJsonTree(text);
    if (tree.kind === "broken") throw new Error(tree.why);
    const line = (...path: string[]): number => lineOf(text, nodeAt(tree.root, path).start).line;
    expect([line(), line("steps", "3.5", "status"), line("steps", "9", "x")]).toEqual([1, 4, 2]);
  });
});
