import { expect, test } from "vitest";
import { isBlank, trimEnd, wellFormedJson } from "./well-formed.ts";

test("blank is what any of the providers' languages calls blank, and nothing else", () => {
  for (const blank of ["", " ", "\n\t", "\u00a0", "\u0085", "\u001c", "\ufeff"])
    expect(isBlank(blank)).toBe(true);
  for (const text of ["a", " .", "\u0000", "\u200b"]) expect(isBlank(text)).toBe(false);
});

test("only the end is trimmed, and long inner runs of spaces cost no more than their length", () => {
  expect(trimEnd(" a b \n\u0085")).toBe(" a b");
  const long = `${" ".repeat(200_000)}.`;
  expect(trimEnd(long)).toBe(long);
});

test("lone surrogates become U+FFFD in texts and keys, and no value is lost when two keys become equal", () => {
  expect(wellFormedJson({ "a\ud800": ["x\udfff", 1, null], "😀": "😀" })).toEqual({
    "a\ufffd": ["x\ufffd", 1, null],
    "😀": "😀",
  });
  const both = wellFormedJson({ "\ud800": 1, "\ud801": 2, "\ufffd": 3 });
  expect(Object.values(both as object).sort()).toEqual([1, 2, 3]);
  expect(Object.keys(both as object)).toContain("\ufffd");
});

test("a key named __proto__ is a key like any other", () => {
  const value = wellFormedJson(JSON.parse('{"__proto__": {"a": 1}}'));
  expect(JSON.stringify(value)).toBe('{"__proto__":{"a":1}}');
});
