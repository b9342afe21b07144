import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../model/json.ts";
import { wholeRecords } from "./whole-records.ts";

const hasId = (object: JsonObject): boolean => typeof object.id === "number";
const found = (line: string): string[] =>
  wholeRecords(Buffer.from(line), hasId).map(({ bytes }) => bytes.toString());

const ONE = '{"id":1,"text":"a { \\" } ü"}';
const TWO = '{"id":2,"parts":[{"type":"text"},{"type":"text"}]}';
const STRANGE = '{"kind":"of a newer version"}';

describe("whole records of a line that is none", () => {
  it("are told apart where one was written right behind the other, of whatever type", () => {
    expect(found(`${ONE}${TWO}${STRANGE}${ONE}`)).toEqual([ONE, TWO, STRANGE, ONE]);
    expect(found(`${STRANGE} ${TWO}`)).toEqual([STRANGE, TWO]);
  });

  it("are found behind a fragment wherever that was cut off, and nothing nested in it is taken for one", () => {
    for (let cut = 1; cut < Buffer.byteLength(TWO); cut++)
      expect(found(`${TWO.slice(0, cut)}${ONE}${TWO}`), TWO.slice(0, cut)).toEqual([ONE, TWO]);
  });

  it("are found between fragments", () => {
    expect(found(`{"id":3,"te${ONE}{"id":4,"pa`)).toEqual([ONE]);
    expect(found(`${ONE}{"id":4,"pa`)).toEqual([ONE]);
  });

  it("are found around holes of NULs", () => {
    expect(found(`\0\0${ONE}`)).toEqual([ONE]);
    expect(found(`${ONE}\0\0\0${STRANGE}`)).toEqual([ONE, STRANGE]);
    expect(found(`{"id":3,"te\0\0xt":1}${TWO}\0`)).toEqual([TWO]);
  });

  it("cost a bounded number of steps, however deep a hostile line nests (T5)", () => {
    expect(found('{"a":'.repeat(200_000))).toEqual([]);
    expect(found('{"a":[{"a":1},'.repeat(50_000))).toEqual([]);
    expect(found("{".repeat(500_000))).toEqual([]);
  });
});
