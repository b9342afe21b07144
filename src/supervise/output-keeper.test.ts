import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readTailFile } from "../platform/tail-file.ts";
import { OutputKeeper } from "./output-keeper.ts";

const keeper = (): { keeper: OutputKeeper; folder: string } => {
  const folder = mkdtempSync(join(tmpdir(), "refloat-keeper-"));
  const fail = (error: Error): never => {
    throw error;
  };
  return { folder, keeper: new OutputKeeper(folder, fail) };
};
const cutOff = { isEnded: false, terminal: null };
const ended = { isEnded: true, terminal: null };

describe("the output keeper", () => {
  it("never mixes a line of stdout with one of stderr, however their pieces come", async () => {
    const { keeper: kept } = keeper();
    kept.take(Buffer.from("out "), "stdout");
    kept.take(Buffer.from("err "), "stderr");
    kept.take(Buffer.from("one\nout"), "stdout");
    kept.take(Buffer.from("one\n"), "stderr");
    expect(await kept.lastLines(cutOff)).toBe("out one\nerr one");
    expect(await kept.lastLines(ended)).toBe("out one\nerr one\nout");
    expect(kept.bytesSeen).toBe(19);
    kept.close();
  });

  it("has every whole line in the run folder at once, so that a kill loses none", () => {
    const { keeper: kept, folder } = keeper();
    kept.take(Buffer.from("first\nsecond\nthi"), "stdout");
    expect(readTailFile(folder)?.toString()).toBe("first\nsecond\n");
    kept.close();
  });

  it("holds a bounded part of a line that never ends (T5)", async () => {
    const { keeper: kept } = keeper();
    for (let n = 0; n < 100; n += 1) kept.take(Buffer.alloc(10_000, 0x61), "stdout");
    kept.take(Buffer.from("end"), "stdout");
    const text = (await kept.lastLines(ended)) ?? "";
    expect(text.length).toBeLessThanOrEqual(4096);
    expect(text.endsWith("aend")).toBe(true);
    kept.close();
  });

  it("tells the words on the screen of a terminal, at the size it has by then", async () => {
    const { keeper: kept } = keeper();
    kept.take(Buffer.from("\x1b[?1049h\x1b[2J\x1b[1;1Hold row\x1b[1;1H\x1b[2Knew"), "terminal");
    kept.take(Buffer.from(" row\x1b[2;1Hsecond"), "terminal");
    const terminal = { cols: 40, rows: 10 };
    expect(await kept.lastLines({ isEnded: false, terminal })).toBe("new row\nsecond");
    kept.resized({ cols: 10, rows: 5 });
    kept.take(Buffer.from("\x1b[2J\x1b[1;1Htwelve chars"), "terminal");
    expect(await kept.lastLines({ isEnded: false, terminal })).toBe("twelve chars");
    kept.close();
  });
});
