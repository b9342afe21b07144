/** `restore --commits`: what it prints works as it stands (T1). */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { makePlace } from "../support/cli.ts";
import { testRepository } from "../support/git-repository.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

it("the clone that it names for commits of a repository without a remote has its branch checked out (T1, W8)", async () => {
  const place = makePlace();
  const repo = testRepository(join(temporaryFolder(), "repo"));
  repo.write("a.txt", "a\n");
  repo.commit();
  const { json } = await place.json(["guard", repo.root, "--hold"]);
  const out = temporaryFolder();
  const args = ["restore", json.trees[0].capture, "--commits", join(out, "commits")];
  const { stdout } = await place.refloat(args, { cwd: repo.root });
  const command = /Or as a new one: (git clone .*)/.exec(stdout)?.[1] ?? stdout;
  execFileSync("sh", ["-c", `${command} clone`], { cwd: out, stdio: "pipe" });
  const read = execFileSync("git", ["show", "HEAD:a.txt"], { cwd: join(out, "clone"), encoding: "utf8" });
  expect(read).toBe("a\n");
});
