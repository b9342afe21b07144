import { expect, test } from "vitest";
import { jitterMs, randomId, randomToken } from "./random.ts";

test("a random id has the asked length and only letters that nobody misreads", () => {
  expect(randomId()).toMatch(/^[0-9a-hjkmnp-tv-z]{20}$/);
  expect(randomId(5)).toHaveLength(5);
});

test("random ids do not repeat and use every letter about equally often", () => {
  const ids = Array.from({ length: 4_000 }, () => randomId());
  expect(new Set(ids).size).toBe(ids.length);
  const counts = new Map<string, number>();
  for (const letter of ids.join("")) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  expect(counts.size).toBe(32);
  // 80,000 letters, 2,500 of each expected, standard deviation 49: ten of those never happen by chance.
  for (const count of counts.values()) expect(Math.abs(count - 2_500)).toBeLessThan(490);
});

test("a token is 32 hexadecimal digits, another one each time", () => {
  expect(randomToken()).toMatch(/^[0-9a-f]{32}$/);
  expect(randomToken()).not.toBe(randomToken());
});

test("jitter reaches both ends of its range and never leaves it", () => {
  const seen = new Set(Array.from({ length: 500 }, () => jitterMs(3, 6)));
  expect([...seen].toSorted()).toEqual([3, 4, 5, 6]);
  expect(jitterMs(7, 7)).toBe(7);
});
