import { describe, expect, it } from "vitest";
import { parseDate } from "../grammar/parse-date.ts";
import { shortId } from "./short-id.ts";
import { agoText, bytesText, count, oneLine, ordinal } from "./words.ts";

describe("words", () => {
  it("says numbers as people do", () => {
    expect([1, 2, 3, 4, 11, 12, 13, 21, 101, 111].map(ordinal)).toEqual([
      "1st",
      "2nd",
      "3rd",
      "4th",
      "11th",
      "12th",
      "13th",
      "21st",
      "101st",
      "111th",
    ]);
    expect([count(0, "turn"), count(1, "turn"), count(1234, "turn")]).toEqual([
      "0 turns",
      "1 turn",
      "1,234 turns",
    ]);
    expect([bytesText(1), bytesText(1023), bytesText(1024), bytesText(3 * 1024 ** 3)]).toEqual([
      "1 byte",
      "1,023 bytes",
      "1.0 KiB",
      "3.0 GiB",
    ]);
  });

  it("says how long ago, and does not hide a clock that was set", () => {
    const now = 1_000_000_000_000;
    const ago = (ms: number): string => agoText(now - ms, now);
    expect([ago(0), ago(59_000), ago(60_000), ago(3_600_000), ago(86_400_000), ago(3 * 86_400_000)]).toEqual([
      "just now",
      "59 s ago",
      "1 min ago",
      "1 h ago",
      "1 day ago",
      "3 days ago",
    ]);
    expect(ago(-1)).toBe("in the future");
  });

  it("puts untrusted text on one line without anything a terminal acts on (T3)", () => {
    expect(oneLine("  a\n\n b\tc\x1b[31m ")).toBe("a b c␛[31m");
  });

  it("shortens an id to eight characters, or to as many as tell it apart from the others shown", () => {
    expect(shortId("0123456789abcdef")).toBe("01234567");
    expect(shortId("0123456789abcdef", ["0123456789abcdef", "01234567zz"])).toBe("012345678");
    expect(shortId("short", ["short", "short-and-longer"])).toBe("short");
  });

  it("T6: what a program chose is not cut, and of our own what tells apart is never left out", () => {
    expect(shortId("conversation-1")).toBe("conversation-1");
    expect(shortId("7mx8h1x6zny0yjtr4es5")).toBe("7mx8h1x6");
    expect(shortId("manual-1b96cce210f8e7f3")).toBe("manual-1b96cce2");
    // The first begins with the time, the second with chance.
    expect(shortId("019a8f3e-5d2c-7c1e-9f00-0123456789ab")).toBe("019a8f3e-5d2c-7c1e-9f00-0123456789ab");
    expect(shortId("4f9a8f3e-5d2c-4c1e-9f00-0123456789ab")).toBe("4f9a8f3e");
  });
});

describe("parseDate", () => {
  it("takes a day as its midnight here and a time with its zone", () => {
    expect(parseDate("2026-01-31")).toBe(new Date(2026, 0, 31).getTime());
    expect(parseDate("2026-01-31T12:00:00Z")).toBe(Date.UTC(2026, 0, 31, 12));
    expect(parseDate("2026-01-31T12:00+02:00")).toBe(Date.UTC(2026, 0, 31, 10));
  });

  it.each([
    "",
    "yesterday",
    "2026-02-31",
    "2026-13-01",
    "31.01.2026",
    "2026-1-5",
    "2026-01-31T99:00Z",
    "1769860800000",
  ])("refuses %j instead of guessing a day whose records would be erased", (text) => {
    expect(() => parseDate(text)).toThrow(expect.objectContaining({ code: "E_USAGE" }));
  });
});
