/** Bytes as keys: in one piece or many, and nothing that was pasted. */

import { describe, expect, it } from "vitest";
import fc from "../../../test/support/fast-check.ts";
import { readKeys, withoutMore } from "./read-keys.ts";

/** As a terminal hands them over: cut anywhere. */
function inPieces(pieces: readonly string[]): string[] {
  let rest = "";
  const keys: string[] = [];
  for (const piece of pieces) {
    const read = readKeys(rest + piece);
    keys.push(...read.keys);
    rest = read.rest;
  }
  return [...keys, ...withoutMore(rest).keys];
}

describe("keys", () => {
  it("are characters and names", () => {
    expect(inPieces(["d?\r\x03\x04\x1a é漢"])).toEqual([
      "d",
      "?",
      "enter",
      "interrupt",
      "hang-up",
      "suspend",
      " ",
      "é",
      "漢",
    ]);
    expect(inPieces(["\x1b[A\x1bOB\x1b[5~\x1b[6~\x1b[H\x1b[F"])).toEqual([
      "up",
      "down",
      "page-up",
      "page-down",
      "home",
      "end",
    ]);
  });

  it("are the same however the bytes are cut; an escape alone is one once nothing follows", () => {
    const text = "a\x1b[Ab\x1b[6~c\x1b[200~pasted y\x1b[201~d\x1bOHe";
    const whole = inPieces([text]);
    expect(whole).toEqual(["a", "up", "b", "page-down", "c", "d", "home", "e"]);
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: text.length }),
        fc.integer({ min: 0, max: text.length }),
        (a, b) => {
          const [from, to] = a < b ? [a, b] : [b, a];
          expect(inPieces([text.slice(0, from), text.slice(from, to), text.slice(to)])).toEqual(whole);
        },
      ),
    );
    expect(inPieces(["\x1b"])).toEqual(["escape"]);
    expect(inPieces(["\x1b["])).toEqual([]);
  });

  it("are none of what was pasted, of control characters, of sequences nobody knows", () => {
    expect(inPieces(["\x1b[200~cccy\x1b[201~"])).toEqual([]);
    expect(inPieces(["\x1b[200~cccy", "y"]), "the end of the paste is waited for").toEqual([]);
    expect(inPieces(["\x1b[200~ccc\x03"]), "Ctrl-C gets out of it").toEqual(["interrupt"]);
    expect(inPieces(["\x00\x01\x7f"])).toEqual([]);
    // A sequence nobody knows is one thing, no letters that mean something.
    for (const key of inPieces(["\x1b[31;5uz\x1bx"])) expect("drcpxlbueqyn").not.toContain(key);
  });

  it("never throws, never stops reading", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: "binary-ascii", maxLength: 12 }), { maxLength: 4 }),
        (pieces) => {
          expect(inPieces([...pieces, "\x1b[201~", "\x03"]).at(-1)).toBe("interrupt");
        },
      ),
    );
  });
});
