import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import fc from "../../test/support/fast-check.ts";
import { type PathName, pathFromBytes, pathToBytes } from "../model/path-name.ts";
import { escapeForTerminal } from "./escape.ts";
import { oddPaths, shownPath, withShownPaths } from "./shown-path.ts";

/** Any bytes a file may be called, rich in what is odd. */
const name = fc
  .array(
    fc.oneof(
      fc.uint8Array({ minLength: 1, maxLength: 4 }).map((bytes) => Buffer.from(bytes)),
      fc
        .constantFrom(
          " ",
          "  ",
          "a",
          "\x1b[2J",
          "\u202e",
          "\u200d",
          "é",
          "日本",
          "$'",
          "\\x1b",
          "'",
          "\u241b",
          "\n",
          "<U+DCFF>",
        )
        .map((text) => Buffer.from(text)),
    ),
    { minLength: 1, maxLength: 6 },
  )
  .map((pieces) => pathFromBytes(Buffer.concat(pieces).filter((byte) => byte !== 0)))
  .filter((path) => path !== "");

describe("shownPath", () => {
  it("shows no two names alike: the name can be read back from it (T3)", () => {
    fc.assert(
      fc.property(name, (path) => {
        expect(readBack(shownPath(path)).equals(pathToBytes(path))).toBe(true);
      }),
    );
  });

  it("lets nothing through that a terminal could act on, and no escaping or wrapping of ours changes it again", () => {
    fc.assert(
      fc.property(name, (path) => {
        const shown = shownPath(path);
        expect(escapeForTerminal(shown, { newlines: "show" })).toBe(shown);
        expect(shown.replace(/[ \t\r\n]+/g, " ").trim()).toBe(shown);
        expect(shown.isWellFormed()).toBe(true);
      }),
    );
  });

  it("is what bash takes for the name", () => {
    const names = ["a\x1b[2Jb", "\u202etxt.exe", "it's\ttab", " edge ", "back\\slash\n", "a\u{e0041}b"];
    for (const text of names) {
      const shown = shownPath(text as PathName);
      const env = { ...process.env, LC_ALL: "C.UTF-8" };
      expect(execFileSync("bash", ["-c", `printf %s ${shown}`], { env, encoding: "utf8" })).toBe(text);
    }
  });

  it("leaves plain names in any script as they are", () => {
    for (const text of [
      "src/app.ts",
      "Grüße.md",
      "日本語.txt",
      "a b.txt",
      "it's.md",
      'back\\slash "q"',
      "👍🏽.png",
    ])
      expect(shownPath(text as PathName)).toBe(text);
  });

  it("stands in a sentence as it stands alone, the longer of two names first", () => {
    const short = pathFromBytes(Buffer.from([0x61, 0xff]));
    const long = pathFromBytes(Buffer.from([0x61, 0xff, 0xfe]));
    const odd = oddPaths([short, "plain" as PathName, long]);
    expect(odd).toEqual([long, short]);
    expect(withShownPaths(`${short} and ${long} and plain`, odd)).toBe(
      "$'a\\xff' and $'a\\xff\\xfe' and plain",
    );
    expect(withShownPaths("only a part: \udcff", odd)).toBe("only a part: \\xff");
  });
});

/** What bash would make of it, for bytes that no argument of a test could carry. */
function readBack(shown: string): Buffer {
  if (!shown.startsWith("$'")) return Buffer.from(shown);
  const letters: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t" };
  const pieces = [...shown.slice(2, -1).matchAll(/\\x(..)|\\u(....)|\\U(.{8})|\\(.)|([^\\]+)/gsu)];
  return Buffer.concat(
    pieces.map(([, byte, short, long, letter, rest]) => {
      if (byte !== undefined) return Buffer.from([Number.parseInt(byte, 16)]);
      const code = short ?? long;
      if (code !== undefined) return Buffer.from(String.fromCodePoint(Number.parseInt(code, 16)));
      return Buffer.from(letter === undefined ? (rest ?? "") : (letters[letter] ?? letter));
    }),
  );
}
