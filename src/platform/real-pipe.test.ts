import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makePipes } from "./real-pipe.ts";

const folder = (): string => mkdtempSync(join(tmpdir(), "refloat-pipe-"));

describe("a real pipe for a child", () => {
  it("can be opened by the child as /dev/stdout, ends when the child does, and leaves no name behind", async () => {
    const dir = folder();
    const [pipe = null] = makePipes(dir, 2) ?? [];
    expect(readdirSync(dir)).toEqual([]);
    if (!pipe) throw new Error("no pipe");
    const child = spawn("sh", ["-c", "echo one > /dev/stdout; echo two"], {
      stdio: ["ignore", pipe.writing, "ignore"],
    });
    pipe.closeWriting();
    const pieces: Buffer[] = [];
    for await (const piece of pipe.reading) pieces.push(piece as Buffer);
    expect(Buffer.concat(pieces).toString()).toBe("one\ntwo\n");
    if (child.exitCode === null) await once(child, "exit");
  });

  it("kills a writer whose reader is gone by SIGPIPE, as a shell's pipe does", async () => {
    const [pipe = null] = makePipes(folder(), 1) ?? [];
    if (!pipe) throw new Error("no pipe");
    const child = spawn("sh", ["-c", "while echo line; do :; done"], {
      stdio: ["ignore", pipe.writing, "ignore"],
    });
    pipe.closeWriting();
    await once(pipe.reading, "data");
    pipe.reading.destroy();
    const [, signal] = await once(child, "exit");
    expect(signal).toBe("SIGPIPE");
  });

  it("is null where none can be made", () => {
    expect(makePipes("/nonexistent/folder", 2)).toBeNull();
  });
});
