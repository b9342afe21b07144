import { expect, test } from "vitest";
import { isBlank, trimEnd, wellFormedJson, wireCallId, wireName } from "./well-formed.ts";

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

const TAKEN = /^[a-zA-Z0-9_-]{1,40}$/;

test("a name in a provider's letters and within its bound stays as it is", () => {
  for (const name of ["bash", "toolu_01AbC-9", "x".repeat(40)]) expect(wireName(name, 40)).toBe(name);
});

test("names that differ only in what a provider refuses stay different, and stay readable", () => {
  const names = [
    "a.b",
    "a:b",
    "a b",
    "a_b",
    "",
    "\ud800",
    "\ud801",
    "x".repeat(41),
    "x".repeat(42),
    "日本",
    "日本語",
  ];
  const mapped = names.map((name) => wireName(name, 40));
  expect(new Set(mapped).size).toBe(names.length);
  for (const name of mapped) expect(name).toMatch(TAKEN);
  expect(wireName("mcp.server/tool", 64)).toContain("mcp_server_tool");
});

test("a name made to look like a mapped one is mapped itself, so it cannot take another one's place", () => {
  const mapped = wireName("a.b", 40);
  expect(wireName(mapped, 40)).not.toBe(mapped);
});

test("the second call with an id gets another id than the first, and no id can be chosen to collide with it", () => {
  const first = wireCallId({ id: "bash_0", occurrence: 1 }, 40);
  const second = wireCallId({ id: "bash_0", occurrence: 2 }, 40);
  expect(first).toBe("bash_0");
  expect(second).toMatch(TAKEN);
  expect(new Set([first, second, wireCallId({ id: second, occurrence: 1 }, 40)]).size).toBe(3);
});
