/** A checkout that is older than what was recorded of it (a container started again from its image) is noticed before anything goes on (W8). */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { BIN, makePlace } from "../support/cli.ts";
import { testRepository } from "../support/git-repository.ts";
import { ANN } from "../support/left-session.ts";
import { isFull } from "../support/seed.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const ENV = { ...ANN, GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null" };
const COMMIT = "git add -A; git commit -qm more";
/** What the agent does before it dies, and what is done to the image before it is put back. */
const WORK: readonly (readonly [string, string])[] = [
  ["one commit", `echo 1 > one.txt; ${COMMIT}`],
  ["three commits", `for n in 1 2 3; do echo $n > c$n.txt; ${COMMIT}; done`],
  ["a branch of its own", `git checkout -qb topic; echo 1 > one.txt; ${COMMIT}`],
  ["a detached HEAD", `git checkout -q --detach; echo 1 > one.txt; ${COMMIT}`],
  ["an amended commit", `echo 1 > one.txt; ${COMMIT}; echo 2 > one.txt; git commit -qam more --amend`],
  [
    "a merge",
    `git checkout -qb side; echo 1 > s.txt; ${COMMIT}; git checkout -q main; echo 2 > m.txt; ${COMMIT}; git merge -q side -m m`,
  ],
  [
    "a rebase",
    `git checkout -qb side; echo 1 > s.txt; ${COMMIT}; git checkout -q main; echo 2 > m.txt; ${COMMIT}; git checkout -q side; git rebase -q main`,
  ],
  ["an empty commit", "git commit -q --allow-empty -m none"],
  ["a commit and edits", `echo 1 > one.txt; ${COMMIT}; echo two >> a.txt; echo new > new.txt`],
  ["a commit and packed refs", `echo 1 > one.txt; ${COMMIT}; git gc -q`],
];

describe("a checkout that was put back from an image", () => {
  // Each kind of work by one of the two commands; with REFLOAT_SWEEP=full by both.
  const all = WORK.flatMap(([what, script], at) =>
    (["run", "resume"] as const).flatMap((by, which) =>
      isFull || at % 2 === which ? [[what, by, script] as const] : [],
    ),
  );

  it.each(all)(
    "after %s is noticed by %s: nothing is started, nothing is captured over what is held; with --accept-older it goes on",
    async (_what, by, script) => {
      const place = makePlace();
      const folder = temporaryFolder();
      const image = testRepository(join(folder, "image"));
      image.write("a.txt", "one\n");
      image.commit("base");
      const work = join(folder, "work");
      execFileSync("cp", ["-a", image.root, work]);
      const here = { cwd: work, env: ENV };
      const agent = `if [ -e .git/started ]; then touch .git/again; exit 0; fi; ${script}; "$0" "$1" capture > /dev/null; kill -9 $PPID; kill -9 $$`;
      await place.refloat(["run", "--name", "work", "--", "sh", "-c", agent, process.execPath, BIN], here);
      const { sessions } = (await place.json(["sessions"], here)).json;
      const session: string = sessions[0].id;
      rmSync(work, { recursive: true });
      execFileSync("cp", ["-a", image.root, work]);
      writeFileSync(join(work, ".git/started"), "");
      const rest = by === "run" ? ["--", "touch", ".git/again"] : [session, "--yes"];
      const noticed = await place.refloat([by, "--json", ...rest], here);
      expect(JSON.parse(noticed.stdout)).toMatchObject({
        code: "E_CHECKOUT_OLDER",
        message: expect.stringContaining(session),
      });
      expect(existsSync(join(work, ".git/again")), "nothing was started").toBe(false);
      const { captures } = (await place.json(["captures"], here)).json;
      expect(
        captures.every(({ reason }: { reason: string }) => reason !== "end"),
        JSON.stringify(captures),
      ).toBe(true);
      const ran = await place.refloat([by, "--accept-older", ...rest], here);
      expect([ran.code, existsSync(join(work, ".git/again"))], ran.stderr).toEqual([0, true]);
      // Taken as it is, it is what the next one finds.
      expect((await place.refloat(["run", "--", "true"], here)).code).toBe(0);
    },
    120_000,
  );

  it("is not seen where HEAD was moved back by hand, or its history was rewritten and cleaned up: that is somebody's own work", async () => {
    const place = makePlace();
    const repo = testRepository(join(temporaryFolder(), "work"));
    repo.write("a.txt", "one\n");
    repo.commit("base");
    const here = { cwd: repo.root, env: ENV };
    await place.refloat(["run", "--", "sh", "-c", `echo 1 > one.txt; ${COMMIT}`], here);
    repo.git("reset", "-q", "--hard", "HEAD~1");
    expect((await place.refloat(["run", "--", "true"], here)).code).toBe(0);
    await place.refloat(["run", "--", "sh", "-c", `echo 1 > one.txt; ${COMMIT}`], here);
    repo.git("commit", "-q", "--amend", "-m", "another word");
    repo.git("gc", "-q", "--prune=now");
    expect(readFileSync(join(repo.root, ".git/logs/HEAD"), "utf8")).toContain("amend");
    expect((await place.refloat(["run", "--", "true"], here)).code).toBe(0);
  }, 120_000);
});
