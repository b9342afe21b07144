import { describe, expect, it } from "vitest";
import { LimitReader, timeIn } from "./limit-reader.ts";

const found = (...pieces: readonly string[]) => {
  const reader = new LimitReader("usage limit reached");
  return [...pieces.flatMap((piece) => reader.read(Buffer.from(piece))), ...reader.end()];
};

describe("a usage limit in the output", () => {
  it("is found in its line wherever the pieces are cut, with the time the line says", () => {
    const line = "Claude AI usage limit reached|1763200800\n";
    const limit = [{ kind: "limit", resetsAtMs: 1_763_200_800_000 }];
    expect(found(`before\n${line}after\n`)).toEqual(limit);
    for (let at = 1; at < line.length; at++)
      expect(found(line.slice(0, at), line.slice(at)), String(at)).toEqual(limit);
  });

  it("is found in a last line that never ended, and not without its text", () => {
    expect(found("work\nusage limit reached")).toEqual([{ kind: "limit", resetsAtMs: null }]);
    expect(found("usage limit", " not reached\n", "usage\nlimit reached\n")).toEqual([]);
  });

  it("ends at a time only where the line has one", () => {
    expect(timeIn("resets at 2026-11-15T14:30:00Z")).toBe(Date.UTC(2026, 10, 15, 14, 30));
    expect(timeIn("resets at 2026-11-15T14:30+02:00")).toBe(Date.UTC(2026, 10, 15, 12, 30));
    expect(timeIn("until 1763200800000 ms")).toBe(1_763_200_800_000);
    expect(timeIn("request 0123456789, 5 tokens, 99999999999999")).toBeNull();
    expect(timeIn("try again at 14:30")).toBeNull();
  });
});
