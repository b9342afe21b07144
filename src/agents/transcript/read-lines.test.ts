import { appendFileSync, closeSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { LineSplitter, type SplitLine } from "./line-splitter.ts";
import { linesOf } from "./read-lines.ts";

function readWhile(text: string, added: string): { lines: string[]; isEnded: boolean | undefined } {
  const file = join(temporaryFolder(), "growing.jsonl");
  writeFileSync(file, text);
  const fd = openSync(file, "r");
  const lines: string[] = [];
  let isEnded: boolean | undefined;
  try {
    for (const some of linesOf(fd, new LineSplitter()))
      for (const line of some) {
        lines.push(String(line.bytes));
        isEnded = line.isEnded;
        appendFileSync(file, added);
      }
  } finally {
    closeSync(fd);
  }
  return { lines, isEnded };
}

describe("a file that grows while it is read", () => {
  it("is read as far as it went when reading began: reading ends, however much is added (T5)", () => {
    expect(readWhile("one\ntwo\n", "more\n")).toEqual({ lines: ["one", "two"], isEnded: true });
  });

  it("is read to the end of the line that was being written: that is not torn", () => {
    expect(readWhile("one\ntw", "o\n").lines.slice(0, 2)).toEqual(["one", "two"]);
    expect(readWhile("one\ntw", "o\n").isEnded).toBe(true);
  });
});

describe("lines as they come in pieces", () => {
  it("of which one was refused by whoever takes them are whole behind it, and stand where they stand (D6)", () => {
    const splitter = new LineSplitter();
    const taken: string[] = [];
    const take = ({ bytes, line, byte }: SplitLine): void => {
      if (String(bytes).includes("odd")) throw new TypeError(String(bytes));
      taken.push(`${line} ${byte} ${bytes}`);
    };
    splitter.feed(Buffer.from("one\nan o"), take);
    expect(() => splitter.feed(Buffer.from("dd one\n"), take)).toThrow("an odd one");
    splitter.feed(Buffer.from("two\nthr"), take);
    splitter.feed(Buffer.from("ee\n"), take);
    expect(taken).toEqual(["1 0 one", "3 15 two", "4 19 three"]);
  });
});
