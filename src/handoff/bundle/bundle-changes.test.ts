import { rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { testRepository } from "../../../test/support/git-repository.ts";
import { patchParts } from "./bundle-changes.ts";

describe("a patch's parts", () => {
  it("are cut where git's own headers are, each with its path, however the path is written and whatever the files hold", () => {
    const repo = testRepository();
    const names = ["plain.txt", "with blank.txt", 'quo"te', "tab\tname", "Grüße.md", "a b/a b", "new\nline"];
    const hostile = "diff --git a/x b/x\n--- a/x\n+++ b/x\n";
    for (const name of names) repo.write(name, `${hostile}one\n`);
    repo.write("binary", Buffer.from([0, 1, 2, 3, 0, 255]));
    repo.write("turns", "into a link\n");
    repo.commit();
    for (const name of names) repo.write(name, `${hostile}two\ndiff --git a/y b/y\n`);
    repo.write("binary", Buffer.from([0, 9, 9, 9]));
    rmSync(join(repo.root, "turns"));
    symlinkSync("plain.txt", join(repo.root, "turns"));
    const patch = Buffer.from(`${repo.git("diff", "--binary", "--no-renames", "HEAD")}\n`);
    const parts = patchParts(patch);
    expect([...new Set(parts.map(({ path }) => path))].sort()).toEqual([...names, "binary", "turns"].sort());
    expect(Buffer.concat(parts.map(({ bytes }) => bytes)).equals(patch)).toBe(true);
  });

  it("of nothing are none", () => {
    expect(patchParts(Buffer.alloc(0))).toEqual([]);
  });
});
