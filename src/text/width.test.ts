import { describe, expect, it } from "vitest";
import fc from "../../test/support/fast-check.ts";
import { displayWidth, padToWidth, truncateMiddle, truncateToWidth, wrapToWidth } from "./width.ts";

const RED = "\x1b[31m";
const RESET = "\x1b[0m";

const anyText = fc
  .array(
    fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
      fc.constantFrom(" ", "word", "日本", "👩‍👩‍👧‍👦", "🇩🇪", "e\u0301", "❤️", RED, RESET, "\ud83d"),
    ),
  )
  .map((pieces) => pieces.join(""));

describe("displayWidth", () => {
  it.each([
    ["plain ASCII", "hello", 5],
    ["nothing", "", 0],
    ["accents, composed and combining", "é e\u0301", 3],
    ["Chinese, Japanese and Korean", "漢字かな한글", 12],
    ["Hangul made of parts", "\u1112\u1161\u11ab", 2],
    ["fullwidth letters", "ＡＢ", 4],
    ["halfwidth katakana", "ｱｲ", 2],
    ["an emoji", "😀", 2],
    ["a family joined by zero-width joiners", "👨‍👩‍👧‍👦", 2],
    ["a skin tone", "👍🏽", 2],
    ["a flag", "🇩🇪", 2],
    ["a keycap", "1️⃣", 2],
    ["a symbol made an emoji by its selector", "❤️", 2],
    ["the same symbol as text", "❤", 1],
    ["zero-width characters", "a\u200bb\u200d\ufeff", 2],
    ["control characters", "a\x07\tb\n", 2],
    ["ANSI styles", `${RED}red${RESET} \x1b[1;38;5;200mbold${RESET}`, 8],
    ["a link (OSC 8)", "\x1b]8;;http://example.org\x1b\\text\x1b]8;;\x1b\\", 4],
    ["lone surrogates", "\ud83d", 1],
    ["box drawing and arrows", "─│→…", 4],
  ])("counts the columns of %s", (_what, text, width) => {
    expect(displayWidth(text)).toBe(width);
  });
});

describe("displayWidth of long text", () => {
  it("is the sum of its parts: no grapheme is torn where the text is read in blocks", () => {
    for (const grapheme of ["👨‍👩‍👧‍👦", "🇩🇪", "e\u0301", "👍🏽", "\u{1d4d0}\u{1d165}"]) {
      for (const shift of ["", "a", "ab", "abc"]) {
        expect(displayWidth(shift + grapheme.repeat(1000))).toBe(
          shift.length + 1000 * displayWidth(grapheme),
        );
      }
    }
  });
});

describe("truncateToWidth", () => {
  it("never gives more columns than asked for, whatever the text and the ellipsis", () => {
    fc.assert(
      fc.property(
        anyText,
        fc.integer({ min: -1, max: 30 }),
        fc.constantFrom("…", "...", "", "日"),
        (text, columns, ellipsis) => {
          expect(displayWidth(truncateToWidth(text, columns, ellipsis))).toBeLessThanOrEqual(
            Math.max(0, columns),
          );
        },
      ),
    );
  });

  it("leaves text that fits as it is, and adds no ellipsis to it", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(truncateToWidth(text, displayWidth(text))).toBe(text);
      }),
    );
  });

  it("cuts between graphemes, never inside one, and not half a wide character", () => {
    expect(truncateToWidth("hello world", 8)).toBe("hello w…");
    expect(truncateToWidth("漢字漢字", 4)).toBe("漢…");
    expect(truncateToWidth("ab👨‍👩‍👧‍👦cd", 4)).toBe("ab…");
    expect(truncateToWidth("ab👨‍👩‍👧‍👦cd", 5)).toBe("ab👨‍👩‍👧‍👦…");
  });

  it("closes a style that the cut would leave open, and cuts no escape sequence", () => {
    expect(truncateToWidth(`${RED}hello world${RESET}`, 6)).toBe(`${RED}hello…${RESET}`);
  });

  it("gives nothing for no columns and takes a width that is no number for none", () => {
    expect(truncateToWidth("hello", 0)).toBe("");
    expect(truncateToWidth("hello", Number.NaN)).toBe("");
    expect(truncateToWidth("hello", 2, "...")).toBe("..");
  });
});

describe("padToWidth", () => {
  it("fills up to the columns by width, not by length, and leaves wider text as it is", () => {
    expect(padToWidth("漢字", 6)).toBe("漢字  ");
    expect(padToWidth(`${RED}x${RESET}`, 3)).toBe(`${RED}x${RESET}  `);
    expect(padToWidth("hello", 3)).toBe("hello");
    expect(padToWidth("x", Number.NaN)).toBe("x");
    expect(padToWidth("x", Number.POSITIVE_INFINITY).length).toBe(10_000);
  });
});

describe("wrapToWidth", () => {
  it("gives no line wider than asked for when every character fits", () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 2, max: 20 }), (text, columns) => {
        for (const line of wrapToWidth(text, columns))
          expect(displayWidth(line)).toBeLessThanOrEqual(columns);
      }),
    );
  });

  it("loses nothing but spaces", () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 1, max: 20 }), (text, columns) => {
        const ink = (lines: readonly string[]) => lines.join("").replace(/\s/g, "");
        expect(ink(wrapToWidth(text, columns))).toBe(ink([text]));
      }),
    );
  });

  it("breaks at spaces, keeps line feeds, and breaks a word only when it is longer than a line", () => {
    expect(wrapToWidth("the quick brown fox", 10)).toEqual(["the quick", "brown fox"]);
    expect(wrapToWidth("one\n\ntwo", 10)).toEqual(["one", "", "two"]);
    expect(wrapToWidth("a abcdefghij", 4)).toEqual(["a", "abcd", "efgh", "ij"]);
    expect(wrapToWidth("漢字漢字", 5)).toEqual(["漢字", "漢字"]);
  });

  it("puts a character that is wider than the line alone on one, and ends", () => {
    expect(wrapToWidth("漢字", 1)).toEqual(["漢", "字"]);
    expect(wrapToWidth("漢字", 0)).toEqual(["漢", "字"]);
  });

  it("wraps a word of 40,000 characters without measuring it again for every line", () => {
    expect(wrapToWidth("é".repeat(40_000), 80)).toHaveLength(500);
  });
});

describe("truncateMiddle", () => {
  it("keeps the beginning and the end of a name that is too wide, never more than the room, and no half character", () => {
    expect(truncateMiddle("src/app.ts", 10)).toBe("src/app.ts");
    expect(truncateMiddle("src/folder/app.ts", 10)).toBe("src…app.ts");
    expect(truncateMiddle("日本語日本語.md", 9)).toBe("日…語.md");
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 0, max: 40 }), (text, columns) => {
        const cut = truncateMiddle(text, columns);
        expect(displayWidth(cut)).toBeLessThanOrEqual(Math.max(columns, 0));
        if (displayWidth(text) <= columns) expect(cut).toBe(text);
        expect(cut.isWellFormed()).toBe(true);
      }),
    );
  });
});
