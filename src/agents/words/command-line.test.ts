import { describe, expect, it } from "vitest";
import { plainWordsAt, withoutFlags } from "./command-line.ts";

const FLAGS = { "--model": 1, "--resume": "maybe", "--tools": "many", "-p": 0 } as const;

describe("the words of a command that are neither flags nor their values", () => {
  it.each([
    [["-p", "do it"], [1]],
    [["--model", "x", "do it"], [2]],
    [["--model=x", "do it"], [1]],
    [["--resume", "id", "do it"], [2]],
    [["--resume", "--model", "x", "do it"], [3]],
    [["do it", "--tools", "a", "b"], [0]],
    [["--tools", "a", "b", "-p", "do it"], [4]],
    [["--new-flag", "do it"], [1]],
    [
      ["--model", "x", "--", "--model", "do it"],
      [3, 4],
    ],
    [["--tools", "a", "--", "b"], [3]],
    [["-"], [0]],
    [
      ["__proto__", "constructor"],
      [0, 1],
    ],
    [["--model"], []],
  ])("%j", (words, at) => {
    expect(plainWordsAt(words, FLAGS)).toEqual(at);
  });
});

describe("flags taken out", () => {
  it.each([
    [["--resume", "id", "rest"], ["rest"]],
    [
      ["--resume", "--model", "x"],
      ["--model", "x"],
    ],
    [["--resume=id", "rest"], ["rest"]],
    [
      ["--", "--resume", "id"],
      ["--", "--resume", "id"],
    ],
  ])("%j", (words, left) => {
    expect(withoutFlags(words, { "--resume": "maybe" })).toEqual(left);
  });
});
