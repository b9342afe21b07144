import { describe, expect, it } from "vitest";
import fc from "../../test/support/fast-check.ts";
import { TerminalModes } from "./terminal-modes.ts";

function resetAfter(...pieces: readonly string[]): string {
  const modes = new TerminalModes();
  for (const piece of pieces) modes.take(Buffer.from(piece));
  return modes.reset();
}

/** Switched on, off again, and what puts it right. */
const SWITCHES: readonly (readonly [string, string, string])[] = [
  ...[1049, 1047, 47].map((n) => [`\x1b[?${n}h`, `\x1b[?${n}l`, `\x1b[?${n}l`] as const),
  ...[1, 1000, 1002, 1003, 1004, 1005, 1006, 1015, 1016, 2004, 2026].map(
    (n) => [`\x1b[?${n}h`, `\x1b[?${n}l`, `\x1b[?${n}l`] as const,
  ),
  ["\x1b[?25l", "\x1b[?25h", "\x1b[?25h"],
  ["\x1b[?7l", "\x1b[?7h", "\x1b[?7h"],
  ["\x1b=", "\x1b>", "\x1b>"],
  ["\x1b[>1u", "\x1b[<u", "\x1b[<1u"],
  ["\x1b[>1u\x1b[>3u", "\x1b[<2u", "\x1b[<2u"],
  ["\x1b[=5;1u", "\x1b[=0;1u", "\x1b[=0u"],
  ["\x1b[>4;2m", "\x1b[>4m", "\x1b[>4;0m"],
  ["\x1b[4h", "\x1b[4l", "\x1b[4l"],
  ["\x1b(0", "\x1b(B", "\x1b(B"],
  ["\x1b[5 q", "\x1b[0 q", "\x1b[0 q"],
  ["\x1b[3;20r", "\x1b[r", "\x1b7\x1b[r\x1b8"],
  ["\x1b[1m", "\x1b[22m", "\x1b[0m"],
  ["\x1b[1;38;2;0;0;0;4m", "\x1b[0m", "\x1b[0m"],
  ["\x1b[38:2::1:2:3m", "\x1b[39m", "\x1b[0m"],
  ["\x1b[48;5;0;4:3m", "\x1b[49;4:0m", "\x1b[0m"],
  ["\x1b[31m", "\x1b[m", "\x1b[0m"],
];

describe("what a program left switched on at its terminal", () => {
  it("is switched off, each thing by its own sequence, and only while it is on", () => {
    for (const [on, off, right] of SWITCHES) {
      expect(resetAfter(`a${on}b`), JSON.stringify(on)).toBe(right);
      expect(resetAfter(`a${on}b${off}c`), JSON.stringify(off)).toBe("");
    }
  });

  it("is nothing where it printed text, colours that end, titles, questions and moves of the cursor", () => {
    expect(
      resetAfter(
        "plain\r\n\x1b[31mred\x1b[39m \x1b]0;a title [?1049h\x07\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\",
        "\x1b[2J\x1b[H\x1b[10;20H\x1b[K\x1b[c\x1b[?u\x1b[?2026$p\x1b[6n\x1bP+q544e\x1b\\\x1b[18t",
      ),
    ).toBe("");
  });

  it("is told by many modes in one sequence, and all of it goes with a new beginning (RIS)", () => {
    expect(resetAfter("\x1b[?1000;1006;25h\x1b[?25;2004l")).toBe("\x1b[?1000l\x1b[?1006l\x1b[?25h");
    expect(resetAfter("\x1b[?1049;1000h\x1b[>1u\x1b[1m\x1bc")).toBe("");
  });

  it("has a keyboard for each screen: the other one's goes before the screen, ours after it", () => {
    expect(resetAfter("\x1b[>1u\x1b[?1049h\x1b[>5u\x1b[>7u")).toBe("\x1b[<2u\x1b[?1049l\x1b[<1u");
    expect(resetAfter("\x1b[?1049h\x1b[>5u\x1b[?1049l")).toBe("");
  });

  it("within a sequence or a title is ended first: what follows would be swallowed", () => {
    for (const cut of ["\x1b", "\x1b[", "\x1b[?10", "\x1b]0;half a ti", "\x1bPq#0"])
      expect(resetAfter(`text${cut}`), JSON.stringify(cut)).toBe("\x18\x1b\\");
    expect(resetAfter("\x1b[?2026h\x1b[?25l\x1b[12;3")).toBe("\x18\x1b\\\x1b[?2026l\x1b[?25h");
  });

  it("is the same wherever its pieces are cut, and never throws", () => {
    const part = fc.oneof(
      fc.constantFrom(...SWITCHES.map(([on]) => on), ...SWITCHES.map(([, off]) => off)),
      fc.constantFrom(
        "\x1b",
        "\x1b[",
        "\x1b]",
        "\x07",
        "\x18",
        "[?1049h",
        "\x1b[999999999999999u",
        "\x1b[<99999u",
      ),
      fc.uint8Array({ maxLength: 8 }).map((bytes) => Buffer.from(bytes).toString("latin1")),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), fc.array(fc.nat(400)), (parts, cuts) => {
        const whole = parts.join("");
        const at = [
          0,
          ...cuts.map((cut) => Math.min(cut, whole.length)).toSorted((a, b) => a - b),
          whole.length,
        ];
        const bytes = Buffer.from(whole, "latin1");
        const modes = new TerminalModes();
        for (const [n, from] of at.slice(0, -1).entries()) modes.take(bytes.subarray(from, at[n + 1]));
        const once = new TerminalModes();
        once.take(bytes);
        expect(modes.reset()).toBe(once.reset());
        // Put right is put right.
        once.take(Buffer.from(once.reset()));
        expect(once.reset()).toBe("");
      }),
    );
  });
});
