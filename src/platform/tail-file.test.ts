import { appendFileSync, mkdtempSync, readdirSync, readFileSync, statSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readTailFile, TailFile } from "./tail-file.ts";

const folder = (): string => mkdtempSync(join(tmpdir(), "refloat-tail-"));
const text = (dir: string): string => readTailFile(dir)?.toString() ?? "";

describe("a tail file", () => {
  it("holds what was appended without being closed, and a folder without one says so", () => {
    const dir = folder();
    expect(readTailFile(dir)).toBeNull();
    const tail = new TailFile(dir);
    tail.append(Buffer.from("one\n"));
    tail.append(Buffer.from("two"));
    expect(text(dir)).toBe("one\ntwo");
    tail.close();
  });

  it("stays bounded however much comes, keeps the end in order, and begins again for a new owner (T5)", () => {
    const dir = folder();
    const tail = new TailFile(dir);
    for (let n = 0; n < 100_000; n += 1) tail.append(Buffer.from(`line ${n}\n`));
    const lines = text(dir).split("\n");
    expect(lines.at(-1)).toBe("");
    const numbers = lines.slice(0, -1).map((line) => Number(line.slice(5)));
    expect(numbers.at(-1)).toBe(99_999);
    expect(numbers).toEqual(numbers.map((_, at) => (numbers[0] ?? 0) + at));
    expect(text(dir).length).toBeGreaterThan(64_000);
    for (const name of readdirSync(dir)) expect(statSync(join(dir, name)).size).toBeLessThan(66_000);
    tail.close();
    new TailFile(dir).close();
    expect(readTailFile(dir)).toBeNull();
  });

  it("keeps the end of one huge piece from the beginning of a line, and of a huge line its end", () => {
    const dir = folder();
    const tail = new TailFile(dir);
    tail.append(Buffer.from(`${"x".repeat(200_000)}\nshort\n`.repeat(3)));
    expect(text(dir).endsWith("\nshort\n")).toBe(true);
    tail.append(Buffer.from(`${"y".repeat(200_000)}end`));
    expect(text(dir).endsWith("yend")).toBe(true);
    tail.close();
  });

  it("reads the full half when the other was emptied and not numbered yet, never a half without its number", () => {
    const dir = folder();
    const tail = new TailFile(dir);
    tail.append(Buffer.from("kept\n"));
    tail.close();
    const other = join(dir, "tail.b");
    truncateSync(other);
    expect(text(dir)).toBe("kept\n");
    appendFileSync(other, "refloat tai");
    expect(text(dir)).toBe("kept\n");
    expect(readFileSync(join(dir, "tail.a"), "utf8")).toBe("refloat tail 1 1\nkept\n");
  });
});
