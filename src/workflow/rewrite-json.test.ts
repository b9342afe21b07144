import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import fc from "../../test/support/fast-check.ts";
import type { Json, JsonObject } from "../model/json.ts";
import { freshJson, rewriteJson } from "./rewrite-json.ts";
import { stateKeyRank } from "./template.ts";

const SAMPLES = join(import.meta.dirname, "../../test/samples/session-state");
const samples = readdirSync(SAMPLES).filter((name) => name.endsWith(".json"));
const noRank = (): null => null;

describe("rewriting JSON", () => {
  it.each(samples)("gives %s back byte for byte when nothing changed", (name) => {
    const text = readFileSync(join(SAMPLES, name), "utf8");
    expect(rewriteJson(text, JSON.parse(text) as Json, stateKeyRank)).toBe(text);
  });

  it.each(samples)("changes one line of %s for one value, and no other byte", (name) => {
    const text = readFileSync(join(SAMPLES, name), "utf8");
    const doc = JSON.parse(text) as JsonObject;
    const next = rewriteJson(text, { ...doc, region: "westeurope" }, stateKeyRank);
    const [before, after] = [text.split("\n"), next.split("\n")];
    const differing = after.flatMap((line, i) => (line === before[i] ? [] : [line]));
    expect(after).toHaveLength(before.length);
    expect(differing).toEqual(['  "region": "westeurope",']);
  });

  it("holds exactly the new value whatever the old text was, odd names and repeated ones too", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), fc.constantFrom(0, 2, 4, "\t"), (old, next, space) => {
        const text = JSON.stringify(old, null, space);
        const written = rewriteJson(text, next as Json, noRank);
        expect(JSON.stringify(sorted(JSON.parse(written)))).toBe(JSON.stringify(sorted(next)));
        expect(rewriteJson(written, next as Json, noRank)).toBe(written);
      }),
    );
    const zero = rewriteJson('{"":[]}', [-0], noRank); // JSON can say it; written as 0 it would be changed again and again
    expect([zero, rewriteJson(zero, [-0], noRank)]).toEqual(["[\n  -0\n]", zero]);
    expect(JSON.parse(rewriteJson('{"a":1,"a":2}', { a: 3, ["__proto__"]: 4 } as Json, noRank))).toEqual(
      JSON.parse('{"a":3,"__proto__":4}'),
    );
  });

  it("keeps indentation, line ends, the missing last line feed, one-line lists and the order of steps", () => {
    const text = '{\r\n\t"x": ["a"],\r\n\t"steps": {\r\n\t\t"3": 1,\r\n\t\t"4": 2\r\n\t}\r\n}';
    const next = rewriteJson(text, { x: ["a", "b"], steps: { "3": 1, "3.5": {}, "4": 2 } }, stateKeyRank);
    expect(next).toBe(
      '{\r\n\t"x": ["a", "b"],\r\n\t"steps": {\r\n\t\t"3": 1,\r\n\t\t"3.5": {},\r\n\t\t"4": 2\r\n\t}\r\n}',
    );
  });

  it("puts new names where the templates have them, unknown ones at the end", () => {
    const text = freshJson({ schema_version: "2.0", steps: {}, mine: 1 }, stateKeyRank);
    const next = rewriteJson(
      text,
      { schema_version: "2.0", steps: {}, mine: 1, zebra: 2, $schema: "s", lock: {} },
      stateKeyRank,
    );
    expect([...next.matchAll(/^ {2}"([^"]+)"/gm)].map(([, key]) => key)).toEqual([
      "$schema",
      "schema_version",
      "lock",
      "steps",
      "mine",
      "zebra",
    ]);
  });
});

/** Names in one order, -0 as 0: what a file can tell apart. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value === "number") return value + 0;
  if (typeof value !== "object" || value === null) return value;
  return Object.entries(value)
    .map(([key, inner]) => [key, sorted(inner)] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
}
