import { describe, expect, it } from "vitest";
import { isOtherMark } from "./tree-mark.ts";

describe("the mark of a tree", () => {
  it.each([
    ["the inode of a deleted clone given to the next one", "7:100:wa", "7:200:wb", true],
    ["another clone in every respect", "7:100:wa", "8:200:wb", true],
    ["a folder an overlay copied up when it was first written to", "7:100:wa", "7:200:wa", false],
    ["a copy that keeps times", "7:100:wa", "8:200:wa", false],
    ["a description somebody edited", "7:100:wa", "7:100:wb", false],
    ["no births on this file system, and another witness", "7:0:wa", "7:0:wb", true],
    ["a mark of an older record, of the same folder", "3:7:100", "7:100:wa", false],
    ["a mark of an older record, of another clone", "3:7:100", "8:200:wb", true],
    ["a plain folder whose inode is kept", "7:100", "7:200", false],
  ])("tells %s as what it is (W8)", (_what, mark, other, isOther) => {
    expect(isOtherMark(mark, other)).toBe(isOther);
    expect(isOtherMark(other, mark)).toBe(isOther);
  });
});
