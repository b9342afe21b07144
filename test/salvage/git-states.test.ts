/** Repositories in the middle of something, and states of an index, in which nothing may be committed: refused with the next step, nothing touched (DESIGN 7). */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type JsonObject, makePlace, type Place } from "../support/cli.ts";
import { type TestRepository, testRepository } from "../support/git-repository.ts";
import { ANN, leftSession } from "../support/left-session.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { treeState } from "../support/tree-state.ts";

const LONG = { timeout: 10 * 60_000 };

/** Two branches that changed the same line. */
function forked(): { place: Place; repo: TestRepository } {
  const place = makePlace();
  const repo = testRepository(place.workspace);
  repo.write("f.txt", "base\n");
  repo.commit("base");
  repo.git("checkout", "-qb", "side");
  repo.write("f.txt", "side\n");
  repo.commit("side");
  repo.git("checkout", "-q", "main");
  repo.write("f.txt", "main\n");
  repo.commit("main");
  return { place, repo };
}

/** Real git stops in the middle: with a conflict, and says so by its exit code. */
function stops(repo: TestRepository, ...args: string[]): void {
  expect(() => repo.git(...args), args.join(" ")).toThrow();
}

const STATES: Readonly<Record<string, { enter(repo: TestRepository): void; sign: string }>> = {
  merge: { enter: (repo) => stops(repo, "merge", "side"), sign: "MERGE_HEAD" },
  rebase: { enter: (repo) => stops(repo, "rebase", "side"), sign: "rebase-merge" },
  "cherry-pick": { enter: (repo) => stops(repo, "cherry-pick", "side"), sign: "CHERRY_PICK_HEAD" },
  revert: {
    enter: (repo) => {
      repo.write("f.txt", "main, and on\n");
      repo.commit("on");
      stops(repo, "revert", "--no-edit", "HEAD~1");
    },
    sign: "REVERT_HEAD",
  },
  bisect: {
    enter: (repo) => {
      repo.git("bisect", "start", "HEAD", "HEAD~1");
    },
    sign: "BISECT_LOG",
  },
};

describe("a commit in the middle of", LONG, () => {
  for (const [what, { enter, sign }] of Object.entries(STATES))
    it(`a ${what} is refused with what to do, and neither tree, index, refs nor git's own notes of it are touched`, async () => {
      const { place, repo } = forked();
      enter(repo);
      await leftSession(place, repo, { edits: { "note.md": () => repo.write("note.md", "A note.\n") } });
      const before = treeState(repo);
      for (const command of [["commit", "--all"], ["settle"]]) {
        const { code, json } = await place.json([...command, "--yes"], { env: ANN });
        expect([code, json.code], command.join(" ")).toEqual([1, "E_GIT_IN_PROGRESS"]);
        expect(`${json.message} ${json.hint}`, command.join(" ")).toContain(what);
        expect(treeState(repo), command.join(" ")).toEqual(before);
        expect(existsSync(join(repo.root, ".git", sign)), command.join(" ")).toBe(true);
      }
    });
});

describe("a commit", LONG, () => {
  it("on a branch that another work tree has checked out is refused and names it: its index would be a reversal (W7)", async () => {
    const { place, repo } = forked();
    const elsewhere = join(temporaryFolder(), "other");
    repo.git("worktree", "add", "-q", "--force", elsewhere, "main");
    await leftSession(place, repo, { edits: { "note.md": () => repo.write("note.md", "A note.\n") } });
    const before = treeState(repo);
    const { code, json } = await place.json(["commit", "--all", "--yes"], { env: ANN });
    expect([code, json.code]).toEqual([1, "E_BRANCH_ELSEWHERE"]);
    expect(json.message).toContain(elsewhere);
    expect(treeState(repo)).toEqual(before);
  });

  it("leaves a path git was only told of (add --intent-to-add), and commits the others; what is staged elsewhere stays staged", async () => {
    const { place, repo } = forked();
    repo.write("staged.txt", "mine\n");
    repo.git("add", "staged.txt");
    await leftSession(place, repo, {
      edits: {
        "told.md": () => {
          repo.write("told.md", "Told.\n");
          repo.git("add", "--intent-to-add", "told.md");
        },
        "note.md": () => repo.write("note.md", "A note.\n"),
      },
    });
    const { code, json } = await place.json(["commit", "--all", "--yes"], { env: ANN });
    expect(code).toBe(3);
    expect(json.conflicts).toMatchObject([{ path: "told.md" }]);
    expect((json.conflicts as JsonObject[])[0]?.why).toContain("--intent-to-add");
    expect(repo.git("show", "--name-only", "--format=", "HEAD")).toBe("note.md");
    expect(repo.git("status", "--porcelain").split("\n")).toEqual(["A  staged.txt", " A told.md"]);
  });
});
