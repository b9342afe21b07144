/** One look that only reads: what git was asked once is not asked again in it, and never outlives it. */
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { GitWorkspace } from "../../src/workspace/opening/workspace.ts";
import { lookedTrees, openTrusted } from "../../src/workspace/trust/open-trusted.ts";
import { DOOR_ENV, testRepository } from "../support/git-repository.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const MINUTE_MS = 60_000;

/** The real git behind a script that writes down what it was asked; where `broken` lies beside it, `status` fails. */
function countedGit() {
  const bin = temporaryFolder();
  const log = join(bin, "asked");
  const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
  const script = `#!/bin/sh
for word; do case $word in
  status) echo status >> '${log}'; [ -e '${bin}/broken' ] && exit 3 ;;
  config | ls-files) echo "$word" >> '${log}' ;;
esac; done
exec '${real}' "$@"
`;
  writeFileSync(join(bin, "git"), script);
  chmodSync(join(bin, "git"), 0o755);
  return {
    env: { ...DOOR_ENV, PATH: `${bin}:${process.env.PATH}` },
    asked: (word: string): number =>
      existsSync(log)
        ? readFileSync(log, "utf8")
            .split("\n")
            .filter((one) => one === word).length
        : 0,
    broken: join(bin, "broken"),
  };
}

const pathsIn = async (workspace: GitWorkspace): Promise<string[]> =>
  (await workspace.asked?.lines(await workspace.repository(), MINUTE_MS))?.map(({ path }) => path) ?? [];

const gitTree = (workspace: ReturnType<typeof openTrusted>): GitWorkspace => {
  if (workspace.kind !== "git") throw new Error("no repository");
  return workspace;
};

describe("one look that only reads", () => {
  it("lists a tree's configuration once and asks once what differs in it and what is tracked, however many ask (P13)", async () => {
    const { root, write, commit } = testRepository();
    write("a", "1\n");
    commit();
    write("a", "2\n");
    const git = countedGit();
    const trees = lookedTrees(git.env);
    const [first, again] = [gitTree(trees(null, root)), gitTree(trees(null, root))];
    expect(again).toBe(first);
    const both = await Promise.all([pathsIn(first), pathsIn(again), pathsIn(first)]);
    expect(both).toEqual([["a"], ["a"], ["a"]]);
    const repository = await first.repository();
    await first.asked?.tracked(repository, MINUTE_MS);
    await again.asked?.tracked(repository, MINUTE_MS);
    expect([git.asked("config"), git.asked("status"), git.asked("ls-files")]).toEqual([1, 1, 1]);
  });

  it("asks anew where HEAD or the index moved meanwhile, and never takes what was for what is (W4)", async () => {
    const { root, write, commit, git: run } = testRepository();
    write("a", "1\n");
    commit();
    write("b", "1\n");
    const workspace = gitTree(lookedTrees(DOOR_ENV)(null, root));
    expect(await pathsIn(workspace)).toEqual(["b"]);
    write("c", "1\n");
    run("add", "b");
    expect(await pathsIn(workspace)).toEqual(["b", "c"]);
    run("commit", "-qm", "b");
    expect(await pathsIn(workspace)).toEqual(["c"]);
    run("checkout", "-q", "--orphan", "none");
    run("rm", "-rq", "--cached", ".");
    expect(await pathsIn(workspace)).toEqual(["a", "b", "c"]);
  });

  it("does not outlive its look: the next one sees what changed in the tree and in the repository's configuration (T2)", async () => {
    const { root, write, commit, git: run } = testRepository();
    write("a", "1\n");
    commit();
    const before = gitTree(lookedTrees(DOOR_ENV)(null, root));
    expect(await pathsIn(before)).toEqual([]);
    write("a", "2\n");
    run("config", "filter.bad.clean", "touch ran");
    const after = gitTree(lookedTrees(DOOR_ENV)(null, root));
    expect(await pathsIn(after)).toEqual(["a"]);
    expect((await after.repository()).untrustedFilters).toEqual(["bad"]);
    // Who acts or waits opens a tree each time.
    expect(gitTree(openTrusted(null, root, DOOR_ENV)).asked).toBeUndefined();
  });

  it("keeps no failure: who asks again is answered when git answers", async () => {
    const { root, write, commit } = testRepository();
    commit();
    write("a", "1\n");
    const git = countedGit();
    const workspace = gitTree(lookedTrees(git.env)(null, root));
    writeFileSync(git.broken, "");
    await expect(pathsIn(workspace)).rejects.toMatchObject({ code: "E_GIT_FAILED" });
    execFileSync("rm", [git.broken]);
    expect(await pathsIn(workspace)).toEqual(["a"]);
  });
});
