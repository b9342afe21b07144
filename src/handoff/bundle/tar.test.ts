import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, readlinkSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { type TarEntry, tarOf } from "./tar.ts";

async function unpacked(entries: readonly TarEntry[]): Promise<string> {
  const folder = temporaryFolder();
  const pieces: Uint8Array[] = [];
  const all = async function* () {
    yield* entries;
  };
  for await (const piece of tarOf(all())) pieces.push(piece);
  writeFileSync(join(folder, "a.tar"), Buffer.concat(pieces));
  mkdirSync(join(folder, "out"));
  const said = execFileSync("tar", ["-xf", "../a.tar"], { cwd: join(folder, "out"), encoding: "utf8" });
  expect(said).toBe("");
  return join(folder, "out");
}

const file = (name: string | Buffer, bytes: Uint8Array | string, mode = 0o644): TarEntry => ({
  name: Buffer.from(name as string),
  mode,
  mtimeMs: Date.UTC(2026, 10, 15),
  content: { kind: "file", bytes: Buffer.from(bytes as string) },
});

describe("the archive", () => {
  it("is unpacked by the system's tar: bytes, permission bits, links, empty files, nothing after the last", async () => {
    const big = Buffer.alloc(70_000, 7);
    const out = await unpacked([
      file("plain.txt", "hello\n"),
      file("bin/run.sh", "#!/bin/sh\n", 0o755),
      file("empty", ""),
      file("block", Buffer.alloc(512, 1)),
      file("big.bin", big),
      {
        name: Buffer.from("link"),
        mode: 0o777,
        mtimeMs: 0,
        content: { kind: "symlink", target: Buffer.from("../elsewhere/that is not there") },
      },
    ]);
    expect(readFileSync(join(out, "plain.txt"), "utf8")).toBe("hello\n");
    expect(statSync(join(out, "bin/run.sh")).mode & 0o777).toBe(0o755);
    expect(statSync(join(out, "empty")).size).toBe(0);
    expect(readFileSync(join(out, "big.bin")).equals(big)).toBe(true);
    expect(readlinkSync(join(out, "link"))).toBe("../elsewhere/that is not there");
  });

  it("keeps names that are long, not ASCII, with blanks, newlines or bytes that are no text", async () => {
    const names = [
      `${"deep/".repeat(30)}file with a long way.txt`,
      `${"x".repeat(200)}.txt`,
      "Grüße/日本語.md",
      "two\nlines",
      '"quoted" name',
    ];
    const odd = Buffer.from([0x61, 0xff, 0xfe, 0x62]);
    const out = await unpacked([...names.map((name) => file(name, name)), file(odd as never, "odd")]);
    for (const name of names) expect(readFileSync(join(out, name), "utf8")).toBe(name);
    expect(readFileSync(Buffer.concat([Buffer.from(`${out}/`), odd]), "utf8")).toBe("odd");
  });
});
