import { describe, expect, it } from "vitest";
import { commandIn } from "./command-in.ts";

describe("the command in what was typed", () => {
  it.each([
    [["inspect", "--nope"], ["inspect"]],
    [
      ["-C", "/srv", "--json", "op", "begin"],
      ["op", "begin"],
    ],
    [["op", "nope"], ["op"]],
    [
      ["worktrees", "remove"],
      ["worktrees", "remove"],
    ],
    [["discard", "inspect"], ["discard"]],
    [["nope"], []],
    [["--nope"], []],
    [[], []],
    [["--nope", "--", "inspect"], []],
  ])("is named by its own words in %j, never by another's", (argv, words) => {
    expect(commandIn(argv)).toEqual(words);
  });
});
