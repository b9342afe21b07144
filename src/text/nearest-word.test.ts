import { expect, it } from "vitest";
import { nearestWord } from "./nearest-word.ts";

const KNOWN = ["verify", "precious", "policy", "commit", "handoff", "at"];

it.each([
  ["verfiy", "verify"],
  ["Verify", "verify"],
  ["presious", "precious"],
  ["polcy", "policy"],
  ["commits", "commit"],
  ["hand_off", "handoff"],
])("%s was meant to be %s", (typed, meant) => {
  expect(nearestWord(typed, KNOWN)).toBe(meant);
});

it.each(["", "x", "it", "owner", "verification", "v".repeat(10_000)])(
  "%s is near to none: nothing is guessed",
  (typed) => {
    expect(nearestWord(typed, KNOWN)).toBeNull();
  },
);
