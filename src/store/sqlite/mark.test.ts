import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { markPath } from "../../platform/store-address.ts";
import { addToMark, readMark, writeMark } from "./mark.ts";

const fresh = (): string => join(temporaryFolder(), "store.db");

describe("the last-sequence mark (D7)", () => {
  test("is nothing where there is none, and no evidence where it is torn, empty or of another shape", () => {
    const path = fresh();
    expect(readMark(path)).toBeNull();
    for (const text of [
      "",
      "{",
      "{}",
      "null",
      '{"store":"a","heads":[["s"]]}',
      '{"store":"a","heads":{"s":1}}',
      "\0\0\0\0",
    ]) {
      writeFileSync(markPath(path), text);
      expect(readMark(path)).toBeNull();
    }
  });

  test("keeps the furthest each session has come, whoever notes it last", () => {
    const path = fresh();
    addToMark(path, {
      store: "a",
      heads: new Map([
        ["s", 10],
        ["t", 3],
      ]),
    });
    addToMark(path, { store: "a", heads: new Map([["s", 7]]) });
    addToMark(path, { store: "a", heads: new Map([["u", 1]]) });
    expect(readMark(path)).toEqual({
      store: "a",
      heads: new Map([
        ["t", 3],
        ["s", 10],
        ["u", 1],
      ]),
    });
  });

  test("forgets the sessions written longest ago, not the newest, when there are many", () => {
    const path = fresh();
    for (let i = 0; i < 100; i++) addToMark(path, { store: "a", heads: new Map([[`s${i}`, i]]) });
    const heads = [...(readMark(path)?.heads.keys() ?? [])];
    expect(heads).toHaveLength(64);
    expect(heads.at(-1)).toBe("s99");
    expect(heads).not.toContain("s0");
  });

  test("does not mix two stores", () => {
    const path = fresh();
    writeMark(path, { store: "old", heads: new Map([["s", 99]]) });
    addToMark(path, { store: "new", heads: new Map([["t", 1]]) });
    expect(readMark(path)).toEqual({ store: "new", heads: new Map([["t", 1]]) });
  });
});
