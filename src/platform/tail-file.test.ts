import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, it } from "vitest";
import { program } from "../../test/support/program.ts";
import { readTailFile, TailFile } from "./tail-file.ts";

const folder = (): string => mkdtempSync(join(tmpdir(), "refloat-tail-"));
const text = (dir: string): string => readTailFile(dir)?.toString() ?? "";

/** Kills it in the middle of its work once it has said so many numbers; the last of them. */
async function killedAfter(file: string, dir: string, lines: number): Promise<number> {
  const child = spawn(process.execPath, [file, dir], { stdio: ["ignore", "pipe", "inherit"] });
  const exited = once(child, "exit");
  let [last, count] = [0, 0];
  for await (const line of createInterface({ input: child.stdout })) {
    last = Number(line);
    count += 1;
    if (count === lines) child.kill("SIGKILL");
  }
  await exited;
  return last;
}

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

  it("shows nothing of what a half held before, nor bytes that were written and do not count yet", () => {
    const dir = folder();
    const tail = new TailFile(dir);
    // Both halves full, and the first one begun again.
    for (const letter of "abcdefghi") tail.append(Buffer.from(`${letter.repeat(15_999)}\n`));
    const begun = "short\n";
    tail.append(Buffer.from(begun));
    tail.close();
    const before = text(dir);
    expect(before.split("\n").map((line) => line[0] ?? "")).toEqual([..."efghis", ""]);
    // As a kill between the bytes of a piece and the line that counts them leaves it.
    const counted = statSync(join(dir, "tail.b")).size - 4 * 16_000;
    const fd = openSync(join(dir, "tail.a"), "r+");
    writeSync(fd, "not yet\n", counted + 16_000 + begun.length);
    closeSync(fd);
    expect(text(dir)).toBe(before);
  });

  it("loses no line that was kept before a kill -9 at any instant, and mixes none", async () => {
    const file = program(
      folder(),
      `import { writeSync } from "node:fs";
       import { TailFile } from "./platform/tail-file.ts";
       const tail = new TailFile(process.argv[2] ?? "");
       for (let n = 1; ; n += 1) {
         tail.append(Buffer.from("line " + n + "x".repeat(n % 3000) + "\\n"));
         if (n % 20 === 0) writeSync(1, n + "\\n");
       }`,
    );
    for (const lines of [1, 5, 40]) {
      const dir = folder();
      const seen = await killedAfter(file, dir, lines);
      const numbers = text(dir)
        .split("\n")
        .slice(1, -1)
        .map((line) => Number(/^line (\d+)x*$/.exec(line)?.[1]));
      expect(numbers.at(-1)).toBeGreaterThanOrEqual(seen);
      expect(numbers).toEqual(numbers.map((_, at) => (numbers[0] ?? 0) + at));
    }
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
    expect(readFileSync(join(dir, "tail.a"), "utf8")).toBe("refloat tail 1 000000000000001 000005\nkept\n");
  });
});
