/** W3: which names are git's own. Real git is asked about each: what it takes into an index is nobody's but the user's. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasGitName } from "./git-name.ts";

const KEPT = [
  ".git",
  ".GIT",
  ".Git",
  ".git ",
  ".git.",
  ".git . .",
  ".git::$INDEX_ALLOCATION",
  ".git:x",
  "git~1",
  "GIT~1",
  "git~1.",
  "git~1:x",
  ".g\u200cit",
  "\ufeff.git",
  ".gi\u202et",
  ".git\u206f",
  "a\\.git",
  "a\\git~1",
];
const FREE = [
  ".gitignore",
  ".gitattributes",
  ".github",
  ".gitlab-ci.yml",
  "git",
  "git~2",
  "git~10",
  ".git2",
  ".git-x",
  "x.git",
  "..git",
  "digit",
  ".g-it",
  ".g\u00ect",
  " .git",
  ".git\u00a0",
];

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "refloat-test-"));
  execFileSync("git", ["init", "-q", folder]);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** As strict as git can be: on every system's account. */
function gitTakes(path: string): boolean {
  const strict = ["-c", "core.protectHFS=true", "-c", "core.protectNTFS=true"];
  const info = `100644,e69de29bb2d1d6434b8b29ae775ad8c2e48c5391,${path}`;
  return (
    spawnSync("git", [...strict, "update-index", "--add", "--cacheinfo", info], { cwd: folder }).status === 0
  );
}

describe("a name that is git's own", () => {
  it.each(KEPT)("%j is one, alone, above and below others, and git refuses it, too (W3)", (name) => {
    for (const path of [name, `${name}/config`, `sub/${name}`, `sub/${name}/hooks/x`]) {
      expect([path, hasGitName(path)]).toEqual([path, true]);
      expect([path, gitTakes(path)]).toEqual([path, false]);
    }
  });

  it.each(FREE)("%j is none, and git takes it (W3)", (name) => {
    for (const path of [name, `sub/${name}/x`]) {
      expect([path, hasGitName(path)]).toEqual([path, false]);
      expect([path, gitTakes(path)]).toEqual([path, true]);
    }
  });
});
