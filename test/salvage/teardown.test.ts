/**
 * The ways in which trees with work in them are deleted in public, each behind `guard --hold`: not a byte is lost (W4, W8). And where it
 * was cut off, or had no room, it does not say that anything may go.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { BIN } from "../support/cli.ts";
import { onSmallDisk } from "../support/small-disk.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { type Teardown, tornDown } from "../support/torn-down.ts";

/** What git still finds by its logs is let go of, too. */
function forget({ repo }: Teardown): void {
  repo.git("reflog", "expire", "--expire=now", "--all");
  repo.git("gc", "-q", "--prune=now");
}

const SEQUENCES: readonly (readonly [
  string,
  "clone" | "worktree",
  (scene: Teardown) => Promise<void> | void,
])[] = [
  [
    "a work tree is removed with its changes",
    "worktree",
    ({ repo, tree }) => void repo.git("worktree", "remove", "--force", tree),
  ],
  [
    "its branch is deleted after it",
    "worktree",
    (scene) => {
      scene.repo.git("worktree", "remove", "--force", scene.tree);
      scene.repo.git("branch", "-q", "-D", "topic");
      forget(scene);
    },
  ],
  [
    "the container it is in is stopped",
    "clone",
    async ({ tree }) => {
      const child = spawn("sleep", ["600"], { cwd: tree });
      child.kill("SIGKILL");
      await once(child, "exit");
      rmSync(tree, { recursive: true });
    },
  ],
  [
    "it is cleaned with git clean -fdx",
    "clone",
    ({ git }) => {
      git("clean", "-fdxq");
      git("checkout", "-q", "-f", "HEAD");
    },
  ],
  [
    "it is archived",
    "clone",
    ({ tree }) => {
      renameSync(tree, `${tree}.archived`);
      rmSync(`${tree}.archived`, { recursive: true });
    },
  ],
  [
    "another agent stashes it, and drops the stash",
    "clone",
    (scene) => {
      scene.git("stash", "-q", "--all");
      scene.git("stash", "drop", "-q");
      forget(scene);
    },
  ],
  [
    "it is reset to the remote",
    "clone",
    (scene) => {
      scene.git("reset", "-q", "--hard", "origin/main");
      scene.git("clean", "-fdq");
      forget(scene);
    },
  ],
  [
    "it is rebased, and the commit is dropped on the way",
    "clone",
    (scene) => {
      scene.git("reset", "-q", "--hard");
      scene.git("clean", "-fdq");
      scene.git("-c", "sequence.editor=sed -i s/^pick/drop/", "rebase", "-q", "-i", "origin/main");
      forget(scene);
    },
  ],
];

describe("a tree is torn down behind guard --hold", () => {
  it.each(SEQUENCES)(
    "W8: 0 bytes lost when %s, and the guard without --hold had said that it must stay",
    async (_what, kind, tear) => {
      const scene = tornDown(kind);
      const { code: before } = await scene.guard();
      expect(before).toBe(1);
      const { code, json } = await scene.guard("--hold");
      expect(json.findings).toEqual([]);
      expect([code, json.verdict]).toEqual([0, "removable"]);
      expect((await scene.guard()).code).toBe(0);
      await tear(scene);
      await scene.expectNothingLost(json);
    },
  );

  it("W4: killed with SIGKILL at any moment it has not said 0, and what a later guard calls removable comes back whole", async () => {
    const scene = tornDown("clone");
    for (let at = 0; at < 12; at++) {
      const child = scene.place.start(["guard", scene.tree, "--hold", "--json"]);
      setTimeout(() => child.kill("SIGKILL"), 40 + at * 60);
      const [code] = await once(child, "exit");
      if (code === null) continue;
      // It was done first.
      expect(code).toBe(0);
      break;
    }
    const { code, json } = await scene.guard("--hold");
    expect([code, json.verdict]).toEqual([0, "removable"]);
    rmSync(scene.tree, { recursive: true });
    await scene.expectNothingLost(json);
  });

  it("D6: with no room for it the guard exits 1 and says what is not held, and the tree is as it was", () => {
    const tree = temporaryFolder();
    const git = (...args: string[]): Buffer =>
      execFileSync("git", args, {
        cwd: tree,
        env: { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: "/dev/null" },
      });
    git("init", "-q");
    writeFileSync(
      join(tree, "large"),
      Buffer.from(Array.from({ length: 9_000_000 }, (_, i) => (i * i * 31) % 251)),
    );
    const said = onSmallDisk(
      "6m",
      `const run = (...args) => {
        const { spawnSync } = process.getBuiltinModule("node:child_process");
        const { status, stdout } = spawnSync(process.execPath, [${JSON.stringify(BIN)}, "guard", ${JSON.stringify(tree)}, "--json", ...args],
          { encoding: "utf8", env: { PATH: process.env.PATH, HOME: disk, REFLOAT_HOME: disk + "/home" } });
        return { status, answer: JSON.parse(stdout) };
      };
      const first = run("--hold");
      said.first = [first.status, first.answer.verdict ?? first.answer.code];
      fill();
      const full = run("--hold");
      said.full = [full.status === 0, (full.answer.verdict ?? full.answer.code) === "removable"];
      said.isThere = existsSync(${JSON.stringify(join(tree, "large"))});`,
    );
    expect(said).toEqual({ first: [1, "keep"], full: [false, false], isThere: true });
  });
});
