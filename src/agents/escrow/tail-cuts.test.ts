import { describe, expect, it } from "vitest";
import { TRANSCRIPT_PIECE_BYTES } from "../../model/limits.ts";
import { tailCuts } from "./tail-cuts.ts";

const sumOf = (all: readonly number[]): number => all.reduce((sum, one) => sum + one, 0);

describe("the newest part of a growing transcript", () => {
  it("loses no byte, has few pieces, and none of its bytes is put again and again", () => {
    for (const step of [7, 64, 900, 5000, 100_000]) {
      let cuts: readonly number[] = [];
      let [put, most] = [0, 0];
      for (let size = 0; size + step <= TRANSCRIPT_PIECE_BYTES; size += step) {
        const next = tailCuts(cuts, step);
        const same = next.findIndex((one, at) => one !== cuts[at]);
        put += sumOf(same === -1 ? [] : next.slice(same));
        cuts = next;
        most = Math.max(most, cuts.length);
      }
      expect(sumOf(cuts)).toBe(TRANSCRIPT_PIECE_BYTES - (TRANSCRIPT_PIECE_BYTES % step));
      expect(most).toBeLessThanOrEqual(Math.log2(TRANSCRIPT_PIECE_BYTES));
      const times = Math.log2(TRANSCRIPT_PIECE_BYTES / step) + 1;
      expect(put, `grown by ${step}`).toBeLessThanOrEqual(times * TRANSCRIPT_PIECE_BYTES);
    }
  });

  it("that did not grow stays as it is", () => {
    expect(tailCuts([], 0)).toEqual([]);
    expect(tailCuts([5], 0)).toEqual([5]);
    expect(tailCuts([8, 3], 1)).toEqual([8, 3, 1]);
    expect(tailCuts([8, 3], 3)).toEqual([8, 6]);
    expect(tailCuts([8, 3], 30)).toEqual([41]);
  });
});
