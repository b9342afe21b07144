import { describe, expect, it } from "vitest";
import { Countdown } from "./countdown.ts";

const MINUTE_MS = 60_000;

describe("a countdown", () => {
  it("says every ten minutes what is left, and nothing of a short wait", () => {
    const said = (fromMs: number): string[] => {
      const countdown = new Countdown();
      const lines: string[] = [];
      for (let leftMs = fromMs; leftMs > 0; leftMs -= 1000) {
        const line = countdown.line(leftMs);
        if (line !== null) lines.push(line);
      }
      return lines;
    };
    expect(said(9 * MINUTE_MS)).toEqual([]);
    expect(said(35 * MINUTE_MS)).toEqual([
      "still waits: 25 min left",
      "still waits: 15 min left",
      "still waits: 5 min left",
    ]);
  });
});
