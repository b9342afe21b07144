import { describe, expect, test } from "vitest";
import { encodeJson } from "./json.ts";

describe("a value becomes text exactly, or is refused with a code", () => {
  test.each([
    [-0],
    [[1, -0, 0]],
    [{ a: { b: [-0] }, c: "-0" }],
    ["\u0000\ud800\u2028"],
    [{ __proto__: null, a: 1 }],
  ])("%j comes back as it went in", (value) => {
    expect(JSON.parse(encodeJson(value))).toEqual({ ...{ value } }.value);
  });

  test("-0 stays -0 and a text that looks like its stand-in is not changed into it", () => {
    expect(Object.is(JSON.parse(encodeJson([-0]))[0], -0)).toBe(true);
    const standIn = "\u0000\u0001-0\u0001\u0000";
    expect(JSON.parse(encodeJson([standIn]))).toEqual([standIn]);
    expect(() => encodeJson([standIn, -0])).toThrow(expect.objectContaining({ code: "E_NOT_JSON" }));
  });

  test.each([
    [Number.NaN],
    [Number.POSITIVE_INFINITY],
    [undefined],
    [[undefined]],
    [new Date(0)],
    [10n],
    [() => 1],
    [Symbol("s")],
    [new Map()],
    [{ toJSON: () => 1 }],
  ])("value %# is E_NOT_JSON, never silently another value", (value) => {
    expect(() => encodeJson(value)).toThrow(expect.objectContaining({ code: "E_NOT_JSON" }));
  });
});
