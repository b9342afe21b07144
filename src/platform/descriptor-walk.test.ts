import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { type DescriptorWalk, openDescriptorWalk } from "./descriptor-walk.ts";

function tree(): { root: string; outside: string; walk: DescriptorWalk } {
  const folder = temporaryFolder();
  const root = join(folder, "root");
  const outside = join(folder, "outside");
  mkdirSync(join(root, "a/b/c"), { recursive: true });
  mkdirSync(join(outside, "b/c"), { recursive: true });
  writeFileSync(join(root, "a/b/c/f"), "inside");
  writeFileSync(join(outside, "b/c/f"), "outside");
  const walk = openDescriptorWalk(root);
  onTestFinished(() => walk.close());
  return { root, outside, walk };
}

function readAt(walk: DescriptorWalk, path: string): string {
  const reached = walk.reach(Buffer.from(path));
  return reached.kind === "reached" ? readFileSync(reached.at, "utf8") : reached.why;
}

describe("the descriptor walk", () => {
  it("reaches a path and its neighbours", () => {
    const { root, walk } = tree();
    writeFileSync(join(root, "a/g"), "upper");
    expect([readAt(walk, "a/b/c/f"), readAt(walk, "a/g"), readAt(walk, "a/b/c/f")]).toEqual([
      "inside",
      "upper",
      "inside",
    ]);
  });

  it("W3: goes into nothing that git keeps for itself, under whatever name, for reading or writing", () => {
    const { root, walk } = tree();
    for (const name of [".git", ".GIT", "git~1", ".git "]) {
      mkdirSync(join(root, "a", name));
      for (const path of [`a/${name}`, `a/${name}/config`])
        expect(() => walk.reach(Buffer.from(path)), path).toThrow(
          expect.objectContaining({ code: "E_GIT_NAME" }),
        );
    }
    expect(readAt(walk, "a/b/c/f")).toBe("inside");
  });

  it("W3: is not led outside by a parent that is a symlink, at any level", () => {
    const { root, outside, walk } = tree();
    rmSync(join(root, "a"), { recursive: true });
    symlinkSync(outside, join(root, "a"));
    expect(readAt(walk, "a/b/c/f")).toBe("not-a-directory");
  });

  it("W3: is not led outside by a parent swapped for a symlink after it was opened", () => {
    const { root, outside, walk } = tree();
    const reached = walk.reach(Buffer.from("a/b/c/f"));
    renameSync(join(root, "a"), join(root, "moved"));
    symlinkSync(outside, join(root, "a"));
    expect(reached.kind === "reached" && readFileSync(reached.at, "utf8")).toBe("inside");
    // By its plain name it is another file: that is what the proof afterwards sees.
    expect(readFileSync(walk.plain(Buffer.from("a/b/c/f")), "utf8")).toBe("outside");
  });

  it("says what is missing and refuses names that would climb", () => {
    const { walk } = tree();
    expect(readAt(walk, "a/x/f")).toBe("missing");
    expect(readAt(walk, "a/b/c/f/deeper")).toBe("not-a-directory");
    for (const path of ["../outside/b/c/f", "a/../../outside/b", "a//b", "/etc/passwd", "", ".", "a/\0"]) {
      expect(readAt(walk, path)).toBe("missing");
    }
  });

  it("gives every descriptor back when it is closed", () => {
    const before = readdirSync("/proc/self/fd").length;
    const root = temporaryFolder();
    mkdirSync(join(root, "a/b/c"), { recursive: true });
    const walk = openDescriptorWalk(root);
    walk.reach(Buffer.from("a/b/c/f"));
    walk.close();
    expect(readdirSync("/proc/self/fd").length).toBe(before);
  });
});
