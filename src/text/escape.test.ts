import { describe, expect, it } from "vitest";
import fc from "../../test/support/fast-check.ts";
import { escapeForTerminal, escapeHtml } from "./escape.ts";

const keep = (text: string) => escapeForTerminal(text, { newlines: "keep" });
const show = (text: string) => escapeForTerminal(text, { newlines: "show" });

const CONTROL = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/** Any text, rich in what terminals act on. */
const nasty = fc
  .array(
    fc.oneof(
      fc.string({ unit: "binary" }),
      fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
      fc.constantFrom(
        "\x1b]52;c;aGk=\x07",
        "\x1b]8;;http://x\x1b\\",
        "\x1b[2J",
        "\r\n",
        "\u202e",
        "\u{e0041}",
        "❤️",
        "1️⃣",
      ),
    ),
  )
  .map((pieces) => pieces.join(""));

describe("escapeForTerminal", () => {
  it("lets no control, format, surrogate or separator character of any text reach the terminal (T3)", () => {
    fc.assert(
      fc.property(nasty, (text) => {
        expect(show(text)).not.toMatch(CONTROL);
        expect(keep(text).replaceAll("\n", "")).not.toMatch(CONTROL);
      }),
    );
  });

  it("leaves what it wrote as it is when it is given it again", () => {
    fc.assert(
      fc.property(nasty, (text) => {
        expect(show(show(text))).toBe(show(text));
        expect(keep(keep(text))).toBe(keep(text));
      }),
    );
  });

  it("leaves plain text in any script untouched", () => {
    for (const text of [
      "plain text, 100 %",
      "Grüße",
      "日本語テキスト",
      "مرحبا",
      "👍🏽 done ✔️ 1️⃣ ❤️",
      "e\u0301",
    ]) {
      expect(keep(text)).toBe(text);
    }
  });

  it.each([
    ["a clipboard write (OSC 52)", "\x1b]52;c;cm0gLXJm\x07", "␛]52;c;cm0gLXJm␇"],
    [
      "a hidden link (OSC 8)",
      "\x1b]8;;http://evil\x1b\\click\x1b]8;;\x1b\\",
      "␛]8;;http://evil␛\\click␛]8;;␛\\",
    ],
    ["a window title", "\x1b]0;owned\x07", "␛]0;owned␇"],
    ["cursor movement and clearing", "\x1b[1A\x1b[2K", "␛[1A␛[2K"],
    ["the same with a one-byte C1 introducer", "\u009b2J\u009d0;x\u009c", "<U+009B>2J<U+009D>0;x<U+009C>"],
    ["a line overwritten by CR", "rm -rf /\rls      ", "rm -rf /␍ls      "],
    ["backspaces, DEL, bell and NUL", "ab\b\b\x7f\x07\0", "ab␈␈␡␇␀"],
    [
      "bidi overrides and isolates",
      "\u202atxt\u202e\u2066x\u2069\u200e\u200f",
      "<U+202A>txt<U+202E><U+2066>x<U+2069><U+200E><U+200F>",
    ],
    [
      "zero-width characters",
      "a\u200bb\u200cc\u200dd\u2060e\ufeff",
      "a<U+200B>b<U+200C>c<U+200D>d<U+2060>e<U+FEFF>",
    ],
    ["line and paragraph separators and NEL", "a\u2028b\u2029c\u0085", "a<U+2028>b<U+2029>c<U+0085>"],
    ["lone surrogates", "\ud83d \ude00", "<U+D83D> <U+DE00>"],
    ["tag characters that carry hidden text", "\u{e0001}\u{e0068}\u{e0069}", "<U+E0001><U+E0068><U+E0069>"],
    ["variation selectors that belong to no emoji", "a\ufe0f\u{e0100}", "a<U+FE0F><U+E0100>"],
    ["invisible fillers", "\u3164\u115f\u00ad\u034f", "<U+3164><U+115F><U+00AD><U+034F>"],
  ])("makes %s visible and harmless (T3)", (_what, text, shown) => {
    expect(keep(text)).toBe(shown);
  });

  it("keeps line feeds when asked to and shows them on one line otherwise", () => {
    expect(keep("a\nb\r\nc")).toBe("a\nb␍\nc");
    expect(show("a\nb\r\nc")).toBe("a␊b␍␊c");
  });

  it("renders a tab as four spaces, or keeps it for a reader that is no terminal", () => {
    expect(keep("a\tb")).toBe("a    b");
    expect(escapeForTerminal("a\tb", { newlines: "keep", tabs: "keep" })).toBe("a\tb");
  });
});

/** Any sequence of UTF-16 units, lone surrogates among them. */
const anyText = fc
  .array(
    fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
    ),
  )
  .map((pieces) => pieces.join(""));

describe("escapeHtml", () => {
  it("leaves no character of any text that could open a tag, end a quoted attribute or begin an entity (T3)", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(escapeHtml(text)).not.toMatch(/[<>"']|&(?!(?:amp|lt|gt|quot|#39);)/);
      }),
    );
  });

  it("can be undone exactly for well-formed text without NUL: nothing else is changed", () => {
    const entities: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };
    const read = (html: string) => html.replace(/&([^;]+);/g, (_all, name: string) => entities[name] ?? "?");
    fc.assert(
      fc.property(anyText, (text) => {
        fc.pre(!text.includes("\0") && text.isWellFormed());
        expect(read(escapeHtml(text))).toBe(text);
      }),
    );
  });

  it("escapes a script in element content and a quote that would leave an attribute", () => {
    expect(escapeHtml("</pre><script>x('a')</script>")).toBe(
      "&lt;/pre&gt;&lt;script&gt;x(&#39;a&#39;)&lt;/script&gt;",
    );
    expect(escapeHtml('" onload="x')).toBe("&quot; onload=&quot;x");
    expect(escapeHtml("&lt;")).toBe("&amp;lt;");
  });

  it("puts U+FFFD in the place of NUL and of lone surrogates, and keeps whole pairs", () => {
    expect(escapeHtml("a\0b\ud800c\udc00d😀")).toBe("a\ufffdb\ufffdc\ufffdd😀");
  });
});
