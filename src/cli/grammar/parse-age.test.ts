import { describe, expect, it } from "vitest";
import { parseAge } from "./parse-age.ts";

const NOW = Date.UTC(2026, 0, 31);

describe("an age", () => {
  it("is days, hours or a date, as the moment that is meant", () => {
    expect(parseAge("--older", "2d", NOW)).toBe(NOW - 2 * 24 * 3_600_000);
    expect(parseAge("--older", "48h", NOW)).toBe(NOW - 48 * 3_600_000);
    expect(parseAge("--older", "2026-01-30T00:00:00Z", NOW)).toBe(NOW - 24 * 3_600_000);
  });

  it("T6: what is neither is refused with what may be written", () => {
    expect(() => parseAge("--older", "soon", NOW)).toThrow(
      "--older wants an age or a date: 90d, 48h, 2026-01-31.",
    );
    expect(() => parseAge("--older", "2026-13-01", NOW)).toThrow("2026-13-01 is no date");
    expect(() => parseAge("--older", "3weeks", NOW)).toThrow("--older wants a time like");
  });
});
