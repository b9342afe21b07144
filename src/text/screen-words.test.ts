import { describe, expect, it } from "vitest";
import fc from "../../test/support/fast-check.ts";
import { type PrintedAtTerminal, screenWords } from "./screen-words.ts";

const shown = (text: string, how: Partial<PrintedAtTerminal> = {}): Promise<string> =>
  screenWords({
    bytes: Buffer.from(text),
    size: { cols: 40, rows: 6 },
    isCut: false,
    isEnded: false,
    ...how,
  });

describe("the words on a terminal's screen", () => {
  it("of a program that draws are its last screen, each row as it stood there last", async () => {
    const frames = ["|", "/", "-"].map(
      (spinner) => `\x1b[1;1H${spinner} working\x1b[K\x1b[3;1HTests: 3 passed`,
    );
    expect(await shown(`\x1b[?1049h\x1b[2J${frames.join("")}\x1b[3;8H4`)).toBe(
      "- working\n\nTests: 4 passed",
    );
  });

  it("of a program that left the other screen are what stood there, then what it said afterwards", async () => {
    const text =
      "before\r\n\x1b[?1049h\x1b[2J\x1b[1;1HI changed parse.ts\x1b[?1049lTo go on: tui --resume 7\r\n";
    expect(await shown(text)).toBe("before\nI changed parse.ts\n\nTo go on: tui --resume 7");
    // Its going to the other screen is no longer among what was kept.
    const cut = text.slice(text.indexOf("\x1b[2J"));
    expect(await shown(cut, { isCut: true })).toBe("I changed parse.ts\n\nTo go on: tui --resume 7");
  });

  it("of a program that prints lines are its last lines, with those that left the screen, whole where the edge broke them", async () => {
    const lines = Array.from({ length: 30 }, (_, n) => `line ${n}`);
    const long = "word ".repeat(20).trim();
    expect(await shown([...lines, long, ""].join("\r\n"))).toBe([...lines, long].join("\n"));
  });

  it("leave out a line that was cut off in the middle, unless its writer ended or moves about", async () => {
    expect(await shown("one\r\ntw")).toBe("one");
    expect(await shown("one\r\ntw", { isEnded: true })).toBe("one\ntw");
    expect(await shown("one\r\n10%\r20%")).toBe("one\n20%");
  });

  it("begin with a whole line or sequence where the beginning is gone", async () => {
    expect(await shown("8;5;12mrest\x1b[1;1Hwhole\r\n", { isCut: true })).toBe("whole");
    expect(await shown("rest\r\nwhole\r\n", { isCut: true })).toBe("whole");
  });

  it("have no frames, bars, spinners and runs of empty rows", async () => {
    const rows = [
      "╭── Agent ────────────╮",
      "│ I changed parse.ts  │",
      "│   indented          │",
      "╰─────────────────────╯",
      "",
      "",
      "⠋ Thinking",
      " ⬝⬝⬝■■ esc",
      "┃ quoted",
      "▀▀▀▀▀▀",
      "├── a.ts",
      "└── b.ts",
    ];
    expect(await shown(`${rows.join("\r\n")}\r\n`)).toBe(
      "Agent\nI changed parse.ts\n  indented\n\nThinking\n esc\nquoted\n\n├── a.ts\n└── b.ts",
    );
  });

  it("wide characters and pieces of text that are no UTF-8 do no harm", async () => {
    expect(await shown("日本語 fertig\r\n")).toBe("日本語 fertig");
    expect(await shown("", { bytes: Buffer.from([0xff, 0xfe, 0x41, 0x0d, 0x0a]) })).toContain("A");
  });

  it("T5: take bounded work, whatever counts the sequences ask for, at whatever size", async () => {
    const asks = ["S", "T", "L", "M", "I", "Z", "b", "@", "P", "X", "'}", "'~", " @", " A"];
    for (const ask of asks) {
      const one = `\x1b[2147483647${ask}`;
      const size = { cols: 1e9, rows: 1e9 };
      expect(await shown(`x${one.repeat(100)}`, { size, isEnded: true }), ask).toMatch(/^x*$/);
    }
    await shown("\x1b[J\x1bc\x1b#8\x1b[?1049h\x1b[?1049l".repeat(1000), { size: { cols: 500, rows: 300 } });
    await shown("\x1b[50S\x1b[300L".repeat(1000), { size: { cols: 500, rows: 300 } });
  });

  it("are text for any bytes: nothing throws, no control character stays", async () => {
    const part = fc.oneof(
      fc.constantFrom(
        "\x1b[?1049h",
        "\x1b[?1049l",
        "\x1b[2J",
        "\x1b[H",
        "\x1bc",
        "\x1b]0;",
        "\x1b[8;3;9t",
        "\x1bP",
        "\r\n",
      ),
      fc.uint8Array({ maxLength: 12 }).map((bytes) => Buffer.from(bytes).toString("latin1")),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 40 }), fc.boolean(), async (parts, isCut) => {
        const bytes = Buffer.from(parts.join(""), "latin1");
        const text = await shown("", { bytes, isCut, isEnded: true });
        // biome-ignore lint/suspicious/noControlCharactersInRegex: that none is there is the point.
        expect(text).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f]/);
      }),
      { numRuns: 60 },
    );
  });
});
