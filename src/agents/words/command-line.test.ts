import { describe, expect, it } from "vitest";
import { namedConversation, plainWordsAt, withoutFlags } from "./command-line.ts";

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

it("a conversation is named by its id, in whichever form; the latest, a number or a copy names none (L7)", () => {
  const id = "11111111-2222-4333-8444-555555555555";
  const named = (...words: string[]): string | null =>
    namedConversation(words, { goesOn: ["--resume", "-r"], copies: ["--fork-session"] });
  for (const words of [["--resume", id], ["-r", id], [`--resume=${id}`], ["--session-id", id]])
    expect(named("claude", ...words, "go on")).toBe(id);
  for (const words of [
    ["--resume"],
    ["--resume", "--model"],
    ["-r", "latest"],
    ["--resume", "3"],
    ["--continue"],
  ])
    expect(named("claude", ...words)).toBeNull();
  expect(named("claude", "--resume", id, "--fork-session")).toBeNull();
});
