import { expect, test } from "vitest";
import { nulFields, nulPaths } from "./nul-fields.ts";

const fieldsOf = (text: string): string[] => [...nulFields(Buffer.from(text, "latin1"))].map(String);

test("fields end with NUL; an empty one counts, and the last one needs no end", () => {
  expect(fieldsOf("")).toEqual([]);
  expect(fieldsOf("a\0b c\0")).toEqual(["a", "b c"]);
  expect(fieldsOf("a\0\0b\0")).toEqual(["a", "", "b"]);
  expect(fieldsOf("a\0cut")).toEqual(["a", "cut"]);
});

test("paths keep newlines and bytes that are no UTF-8", () => {
  const [first, second] = nulPaths(Buffer.from("a\nb\0\xff\0", "latin1"));
  expect(first).toBe("a\nb");
  expect(second).toHaveLength(1);
  expect(second).not.toBe("\ufffd");
});
