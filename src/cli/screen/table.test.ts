import { describe, expect, it } from "vitest";
import fc from "../../../test/support/fast-check.ts";
import { displayWidth } from "../../text/width.ts";
import { tableLines } from "./table.ts";

const cell = fc.string({ unit: "grapheme", maxLength: 60 }).map((text) => text.replace(/[\p{C}\s]/gu, "x"));

describe("tableLines", () => {
  it("never makes a line wider than the screen when every column may shrink", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(cell, cell, cell), { maxLength: 5 }),
        fc.integer({ min: 40, max: 120 }),
        (rows, width) => {
          const columns = ["A", "B", "C"].map((title) => ({ title, shrinkTo: 2 }));
          for (const line of tableLines(columns, rows, width)) {
            expect(displayWidth(line)).toBeLessThanOrEqual(width);
          }
        },
      ),
    );
  });

  it("shows columns that may not shrink whole, and cuts the widest of the others first", () => {
    const lines = tableLines(
      [{ title: "ID" }, { title: "NAME", shrinkTo: 3 }, { title: "PATH", shrinkTo: 3 }],
      [["whole-id", "short", "a-very-long-path-that-does-not-fit"]],
      30,
    );
    expect(lines[1]).toBe("whole-id  short  a-very-long-…");
  });

  it("aligns by columns of the screen, not by characters, and paints without moving anything", () => {
    const lines = tableLines(
      [{ title: "A", paint: (text) => `\x1b[1m${text}\x1b[22m` }, { title: "B" }],
      [
        ["漢字", "x"],
        ["abc", "y"],
      ],
      80,
    );
    expect(lines).toEqual(["A     B", "\x1b[1m漢字\x1b[22m  x", "\x1b[1mabc\x1b[22m   y"]);
  });
});
