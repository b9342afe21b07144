/** Captures in the states a repository can be found in: mid-rebase, mid-merge, sparse, with LFS, blind to case, very large. */
import { spawnSync } from "node:child_process";
import { linkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isCaseBlind } from "../../src/platform/file-system.ts";
import { capturing, entryAt, gapsIn, pathsIn } from "../support/capturing.ts";
import { clashingBranches, DOOR_ENV, fingerprint } from "../support/git-repository.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

describe("a capture", () => {
  it("in the middle of a rebase names it, holds all three stages, and HEAD is where git has it", async () => {
    const { repo, capture } = await capturing();
    clashingBranches(repo);
    repo.git("checkout", "-q", "topic");
    expect(() => repo.git("rebase", "main")).toThrow();
    const before = fingerprint(join(repo.root, ".git"));
    const taken = await capture();
    expect(taken.capture.in_progress).toEqual(["rebase"]);
    expect(taken.capture.head).toMatchObject({ detached: true, id: repo.git("rev-parse", "main") });
    expect(entryAt(taken, "f")?.flags).toContain("unmerged");
    expect(entryAt(taken, "f")?.staged?.map(({ stage }) => stage)).toEqual([1, 2, 3]);
    expect(taken.capture.partial).toBe(false);
    expect(fingerprint(join(repo.root, ".git"))).toBe(before);
  });

  it("in a sparse checkout holds a file that was written outside the cone", async () => {
    const { repo, capture } = await capturing();
    for (const path of ["in/a", "out/b"]) repo.write(path, "0\n");
    repo.commit();
    repo.git("sparse-checkout", "set", "in");
    repo.write("out/b", "written all the same\n");
    repo.write("in/a", "1\n");
    const taken = await capture();
    expect(pathsIn(taken)).toEqual(["in/a", "out/b"]);
    expect(taken.capture.partial).toBe(false);
  });

  it("with LFS attributes and no LFS reads files raw; with a filter of the user's that cannot run it fails and hands out no id (W4)", async () => {
    const { repo, capture, held } = await capturing();
    repo.write(".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n");
    repo.write("big.bin", "version https://git-lfs.github.com/spec/v1\n");
    repo.commit();
    repo.write("big.bin", "the real bytes\n");
    const raw = await capture();
    expect((await held(entryAt(raw, "big.bin")?.state?.hash)).toString()).toBe("the real bytes\n");
    const home = temporaryFolder();
    const config = join(home, "gitconfig");
    const lfs = "/nonexistent/git-lfs";
    writeFileSync(config, `[filter "lfs"]\n\tclean = ${lfs}\n\tprocess = ${lfs}\n\trequired = true\n`);
    const env = { ...DOOR_ENV, GIT_CONFIG_GLOBAL: config };
    repo.write("big.bin", "other bytes, same size\n");
    const outcome = await capture({ env }).then(
      (taken) => entryAt(taken, "big.bin")?.state?.size,
      ({ code }) => code,
    );
    // Git asks the filter only where sizes do not decide it: either way nothing false is held.
    expect([23, "E_GIT_FAILED"]).toContain(outcome);
  });

  it("under autocrlf holds the bytes that lie there and calls what git calls unmodified no change", async () => {
    const { repo, capture, held } = await capturing();
    repo.git("config", "core.autocrlf", "true");
    repo.write("same.txt", "a\r\nb\r\n");
    repo.write("edited.txt", "a\r\nb\r\n");
    repo.commit();
    repo.write("same.txt", "a\nb\n"); // LF where CRLF was: git calls that unmodified
    repo.write("edited.txt", "a\nc\n");
    const taken = await capture();
    expect((await held(entryAt(taken, "edited.txt")?.state?.hash)).toString()).toBe("a\nc\n");
    expect(pathsIn(taken).filter((path) => path !== "same.txt")).toEqual(["edited.txt"]);
  });

  it("where case does not count names a rename of case only as a gap, both names of it (DESIGN 15)", async () => {
    const { repo, capture } = await capturing();
    repo.write("Readme.md", "hello\n");
    repo.write("plain", "0\n");
    repo.commit();
    // One file under two names that differ in case, as such a file system shows it.
    linkSync(join(repo.root, "Readme.md"), join(repo.root, "README.md"));
    repo.write("plain", "1\n");
    const blind = await capture({ isCaseBlind: true });
    expect(gapsIn(blind)).toEqual([
      ["README.md", "case-only"],
      ["Readme.md", "case-only"],
    ]);
    expect(pathsIn(blind)).toEqual(["plain"]);
    expect(blind.capture.partial).toBe(true);
    const seeing = await capture({ isCaseBlind: false });
    expect([gapsIn(seeing), pathsIn(seeing)]).toEqual([[], ["README.md", "plain"]]);
  });

  it("asks the file system whether case counts, by a name that is there, and writes nothing for it", () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "name"), "");
    const before = fingerprint(folder);
    expect(isCaseBlind(folder, "name")).toBe(false);
    expect(isCaseBlind(folder, "missing")).toBe(false);
    expect(fingerprint(folder)).toBe(before);
    linkSync(join(folder, "name"), join(folder, "NAME")); // as a blind one answers
    expect(isCaseBlind(folder, "name")).toBe(true);
  });

  it("of ten thousand changed files stays under 200 MB and keeps no other writer waiting for more than a batch (A12)", () => {
    const script = join(import.meta.dirname, "../support/large-capture.mjs");
    const ran = spawnSync(process.execPath, [script, temporaryFolder()], {
      encoding: "utf8",
      timeout: 240_000,
    });
    expect(ran.stderr).toBe("");
    const told = JSON.parse(ran.stdout) as Record<string, number>;
    console.log(`10,000 changed files: ${JSON.stringify(told)}`);
    expect(told.held).toBe(10_000);
    expect(told.peakMB).toBeLessThan(200);
    // The other process wrote all the time: it was never shut out while the capture ran.
    expect(told.appendsMeanwhile).toBeGreaterThan(10);
  });
});
