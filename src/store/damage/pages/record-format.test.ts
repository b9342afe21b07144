import { describe, expect, test } from "vitest";
import fc from "../../../../test/support/fast-check.ts";
import { decodeColumns, parseRecordHeader, readVarint } from "./record-format.ts";

describe("readVarint", () => {
  test.each([
    [[0x00], 0, 1],
    [[0x7f], 127, 1],
    [[0x81, 0x00], 128, 2],
    [[0xff, 0x7f], 16_383, 2],
    [[0x81, 0x80, 0x80, 0x00], 2 ** 21, 4],
    [[0x8f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f], Number.MAX_SAFE_INTEGER, 8],
  ])("reads %j as %d", (bytes, value, next) => {
    expect(readVarint(Buffer.from(bytes), 0)).toEqual({ value, next });
  });

  test.each([
    ["nothing", []],
    ["one cut off by the end", [0x81, 0x80]],
    ["one above what a number holds exactly", [0x90, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00]],
    ["one of nine bytes, which no store writes", [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]],
  ])("gives null for %s", (_, bytes) => {
    expect(readVarint(Buffer.from(bytes), 0)).toBeNull();
  });
});

describe("the record format", () => {
  const header = (...types: number[]): Buffer => Buffer.of(types.length + 1, ...types);
  const decode = (payload: Buffer): unknown => {
    const parsed = parseRecordHeader(payload);
    return parsed && decodeColumns(payload, parsed);
  };

  test("reads every serial type", () => {
    const double = Buffer.alloc(8);
    double.writeDoubleBE(-1.5);
    const payload = Buffer.concat([
      header(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12 + 4, 13 + 6),
      Buffer.from("ff", "hex"),
      Buffer.from("8000", "hex"),
      Buffer.from("7fffff", "hex"),
      Buffer.from("80000000", "hex"),
      Buffer.from("0000ffffffff", "hex"),
      Buffer.from("fffffffffffffffe", "hex"),
      double,
      Buffer.from("beef", "hex"),
      Buffer.from("€", "utf8"),
    ]);
    expect(decode(payload)).toEqual([
      null,
      -1,
      -32_768,
      0x7fffff,
      -(2 ** 31),
      0xffffffff,
      -2,
      -1.5,
      0,
      1,
      Buffer.from("beef", "hex"),
      "€",
    ]);
  });

  test.each([
    ["an empty payload", Buffer.alloc(0)],
    ["a header longer than the payload", Buffer.of(9, 1, 1)],
    ["a header length of zero", Buffer.of(0)],
    ["reserved serial types", header(10)],
    ["values that are cut off", Buffer.concat([header(4), Buffer.of(1, 2)])],
    ["text that is not UTF-8", Buffer.concat([header(13 + 4), Buffer.of(0xc3, 0x28)])],
    [
      "an integer that a number cannot hold",
      Buffer.concat([header(6), Buffer.from("7fffffffffffffff", "hex")]),
    ],
    ["more columns than any of our tables has", header(...Array.from({ length: 40 }, () => 0))],
  ])("gives null for %s", (_, payload) => {
    expect(decode(payload)).toBeNull();
  });

  test("never throws, whatever the bytes are", () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => void decode(Buffer.from(bytes))));
  });
});
