/** Scratch trees go, and nothing that hangs in them by a link or a mount goes with them (W3). */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { unshareArguments } from "../../test/support/needs.ts";
import { program } from "../../test/support/program.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { makeScratchTree, putIntoScratch, putIntoScratchGit, removeScratchTree } from "./scratch-tree.ts";

/** Somebody's dependencies, with a file to lose. */
function precious(): string {
  const folder = join(temporaryFolder(), "node_modules");
  mkdirSync(join(folder, "dep"), { recursive: true });
  writeFileSync(join(folder, "dep/index.js"), "mine\n");
  return folder;
}

const isWhole = (folder: string): boolean => readFileSync(join(folder, "dep/index.js"), "utf8") === "mine\n";

describe("removing a scratch tree", () => {
  it("W3: takes no tree's file under a name that git keeps for itself; its repository's own files go another way", () => {
    const root = makeScratchTree(temporaryFolder());
    const put = { kind: "file", bytes: Buffer.from("x"), isExecutable: false } as const;
    for (const path of [".git/config", "a/.GIT/hooks/x", "git~1"])
      expect(() => putIntoScratch(root, Buffer.from(path), put), path).toThrow(
        expect.objectContaining({ code: "E_GIT_NAME" }),
      );
    expect(readdirSync(root)).toEqual([]);
    putIntoScratchGit(root, "config", put);
    putIntoScratch(root, Buffer.from(".github/x.yml"), put);
    expect(readdirSync(root).sort()).toEqual([".git", ".github"]);
  });

  it("takes the links in it away and never what they lead to", () => {
    const home = temporaryFolder();
    const theirs = precious();
    const tree = makeScratchTree(home);
    mkdirSync(join(tree, "a"));
    symlinkSync(theirs, join(tree, "node_modules"));
    symlinkSync(theirs, join(tree, "a/node_modules"));
    symlinkSync(join(theirs, "dep"), join(tree, "a/dep"));
    removeScratchTree(tree);
    expect(existsSync(tree)).toBe(false);
    expect(isWhole(theirs)).toBe(true);
  });

  it("leaves a tree with something mounted in it alone, also on the same file system, and takes it when the mount is gone", () => {
    const home = temporaryFolder();
    const theirs = precious();
    const file = program(
      home,
      `import { execFileSync } from "node:child_process";
       import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
       import { makeScratchTree, removeScratchTree } from "./platform/scratch-tree.ts";
       const [home, theirs] = process.argv.slice(2);
       const tree = makeScratchTree(home);
       const at = tree + "/deep er/node\\\\modules";
       mkdirSync(at, { recursive: true });
       writeFileSync(tree + "/file", "1");
       execFileSync("mount", ["--bind", theirs, at]);
       removeScratchTree(tree);
       const during = readdirSync(theirs + "/dep");
       execFileSync("umount", [at]);
       removeScratchTree(tree);
       console.log(JSON.stringify({ during, left: readdirSync(home + "/scratch") }));`,
    );
    const said = inMountNamespace(process.execPath, file, home, theirs);
    expect(JSON.parse(said)).toEqual({ during: ["index.js"], left: [] });
    expect(isWhole(theirs)).toBe(true);
  });

  it("sweeps what a dead process left, but not where something is mounted in it", () => {
    const home = temporaryFolder();
    const theirs = precious();
    const left = program(
      home,
      `import { mkdirSync } from "node:fs";
       import { makeScratchTree } from "./platform/scratch-tree.ts";
       const tree = makeScratchTree(process.argv[2]);
       mkdirSync(tree + "/node_modules");
       console.log(tree);`,
    );
    const trees = [0, 1].map(() =>
      execFileSync(process.execPath, [left, home], { encoding: "utf8" }).trimEnd(),
    );
    // The second start swept the first one's tree.
    expect(trees.map((tree) => existsSync(tree))).toEqual([false, true]);
    const script = `mount --bind "$1" "$2/node_modules" && exec "$3" "$4" "$5"`;
    const [, tree = ""] = trees;
    inMountNamespace("sh", "-c", script, "sh", theirs, tree, process.execPath, left, home);
    expect(existsSync(tree)).toBe(true);
    expect(isWhole(theirs)).toBe(true);
    makeScratchTree(home);
    expect(existsSync(tree)).toBe(false);
    expect(readdirSync(join(home, "scratch"))).toHaveLength(1);
    expect(isWhole(theirs)).toBe(true);
  });
});

function inMountNamespace(...command: readonly string[]): string {
  const args = [...unshareArguments("--mount"), "--propagation", "private", "--", ...command];
  return execFileSync("unshare", args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}
