import { describe, expect, it, test } from "vitest";
import fc from "../../test/support/fast-check.ts";
import {
  isWithin,
  nulFields,
  nulPaths,
  type PathName,
  pathForDisplay,
  pathFromBytes,
  pathFromJson,
  pathFromText,
  pathJson,
  pathToBytes,
} from "./path-name.ts";

describe("a path name", () => {
  it("carries any bytes there and back, also through JSON, and loses none of them", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        const path = pathFromBytes(bytes);
        expect(pathToBytes(path)).toEqual(Buffer.from(bytes));
        const json = JSON.parse(JSON.stringify(pathJson(path)));
        expect(pathToBytes(pathFromJson(json))).toEqual(Buffer.from(bytes));
        expect(pathForDisplay(path).isWellFormed()).toBe(true);
      }),
    );
  });

  it("keeps valid UTF-8 readable, a byte order mark and astral characters too, and needs no path_b64 for it", () => {
    for (const text of ["a/b.txt", "\ufeffx", "naïve/日本語", "🚢", 'q"u\no\tte', "é".repeat(100)]) {
      const path = pathFromBytes(Buffer.from(text));
      expect(path).toBe(text);
      expect(pathJson(path)).toEqual({ path: text });
    }
  });

  it("escapes exactly the bytes that are no text and keeps what stands around them", () => {
    const path = pathFromBytes(Buffer.from([0x61, 0xff, 0xc3, 0xa9, 0xed, 0xa0, 0x80, 0xe2, 0x82]));
    expect(path).toBe("a\udcff\u00e9\udced\udca0\udc80\udce2\udc82");
    expect(pathJson(path)).toEqual({
      path: "a\ufffdé\ufffd\ufffd\ufffd\ufffd\ufffd",
      path_b64: "Yf/Dqe2ggOKC",
    });
  });

  it("reads what a person typed without its leading ./ and trailing slashes", () => {
    expect(pathFromText("././a/b//")).toBe("a/b");
    expect(pathFromText("/")).toBe("/");
  });

  it("knows what lies within a folder and is not fooled by a name that only begins alike", () => {
    const p = (text: string): PathName => text as PathName;
    expect(isWithin(p("a/b"), p("a"))).toBe(true);
    expect(isWithin(p("a"), p("a"))).toBe(true);
    expect(isWithin(p("ab"), p("a"))).toBe(false);
    expect(isWithin(p("ab"), p(""))).toBe(true);
  });
});

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
