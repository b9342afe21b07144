import { describe, expect, it } from "vitest";
import { lastWholeLines } from "./last-lines.ts";

const cut = (text: string, maxBytes = 4096) =>
  lastWholeLines(Buffer.from(text), { maxBytes, isEnded: false });
const ended = (text: string, maxBytes = 4096) =>
  lastWholeLines(Buffer.from(text), { maxBytes, isEnded: true });

describe("the last whole lines", () => {
  it("end at the last line feed when the writer was cut off, and include the rest when it ended by itself", () => {
    expect(cut("one\ntwo\nthr")).toBe("one\ntwo");
    expect(ended("one\ntwo\nthr")).toBe("one\ntwo\nthr");
    expect(ended("one\n\n\n")).toBe("one");
  });

  it("are null when no whole line was printed, never an empty text", () => {
    expect(cut("")).toBeNull();
    expect(cut("half a li")).toBeNull();
    expect(ended("\n\n")).toBeNull();
  });

  it("fit the bound with whole lines only, in bytes, and a line over it is shown from its end (T5)", () => {
    expect(cut("aaaa\nbbbb\ncccc\n", 9)).toBe("bbbb\ncccc");
    expect(cut("aaaa\nbbbb\ncccc\n", 8)).toBe("cccc");
    expect(cut("\u00e9\u00e9\n\u00e9\u00e9\n", 8)).toBe("\u00e9\u00e9");
    const long = cut(`${"\u20ac".repeat(50)}\n`, 20) ?? "";
    expect(long).toBe(`...${"\u20ac".repeat(5)}`);
  });

  it("hold no escape sequence: colours, titles, links, cursor keys and one that was cut off at the end", () => {
    expect(cut("\u001b[1;31mred\u001b[0m\n")).toBe("red");
    expect(cut("\u001b]0;title\u0007text\n\u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\\n")).toBe(
      "text\nlink",
    );
    expect(cut("\u001bP1$r0m\u001b\\a\u001b(Bb\u001b7\u001b=\u009b32mc\n")).toBe("abc");
    expect(ended("done\n\u001b[3")).toBe("done");
    expect(ended("done\n\u001b")).toBe("done");
    expect(cut("\u001b]0;never ended\nnext\n")).toBe("next");
  });

  it("show what stood on a line last: progress that was drawn over, backspaces, and a terminal's line ends", () => {
    expect(cut("10%\r50%\r100%\r\ndone\r\n")).toBe("100%\ndone");
    expect(cut("abx\bc\n")).toBe("abc");
    expect(cut("spinner\r\n")).toBe("spinner");
  });

  it("take a jump of the cursor for the end of a line: full-screen programs print no line feed", () => {
    expect(cut("\u001b[2J\u001b[1;1Hfirst\u001b[2;1Hsecond\u001b[3;1Hthi")).toBe("first\nsecond");
  });

  it("survive bytes that are not text", () => {
    expect(cut(`\u0000\u0001a\n`)).toBe("a");
    expect(lastWholeLines(Buffer.from([0xff, 0x0a]), { maxBytes: 100, isEnded: false })).toBe("\ufffd");
  });
});
