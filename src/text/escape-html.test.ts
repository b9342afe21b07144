import { describe, expect, it } from "vitest";
import fc from "../../test/support/fast-check.ts";
import { escapeHtml } from "./escape-html.ts";

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
