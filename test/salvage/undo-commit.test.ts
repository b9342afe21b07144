/** Undo of a commit that is not the branch's last any more, or that others have: a commit that reverses it (W2). */
import { describe, expect, it } from "vitest";
import { type JsonObject, makePlace } from "../support/cli.ts";
import { type TestRepository, testRepository } from "../support/git-repository.ts";
import { ANN, leftTwoFiles } from "../support/left-session.ts";
import { treeState } from "../support/tree-state.ts";

interface Committed {
  readonly repo: TestRepository;
  readonly ann: (...args: string[]) => Promise<{ code: number | null; json: JsonObject }>;
  /** Of the act that is to be undone. */
  readonly commit: string;
  readonly before: ReturnType<typeof treeState>;
}

/** f.txt is changed and new.md is new, both by a dead session, and committed by refloat. */
async function committed(): Promise<Committed> {
  const place = makePlace();
  const repo = testRepository(place.workspace);
  await leftTwoFiles(place, repo);
  const before = treeState(repo);
  const ann: Committed["ann"] = (...args) => place.json(args, { env: ANN });
  expect(await ann("commit", "--all", "--yes")).toMatchObject({ code: 0, json: { done: true } });
  return { repo, ann, commit: repo.git("rev-parse", "HEAD"), before };
}

function userCommits(repo: TestRepository, path: string, text: string): string {
  repo.write(path, text);
  repo.git("add", path);
  repo.git(
    "-c",
    "user.name=U",
    "-c",
    "user.email=u@example.invalid",
    "commit",
    "-qm",
    "the user's",
    "--",
    path,
  );
  return repo.git("rev-parse", "HEAD");
}

describe("undo of a commit the branch went on from", () => {
  it("adds a reversing commit, says so, keeps the user's commit and every byte in the tree, and never moves the branch back (W2, W7)", async () => {
    const { repo, ann, commit } = await committed();
    const users = userCommits(repo, "other.txt", "the user's\n");
    const planned = await ann("undo", "--dry-run");
    expect(planned).toMatchObject({ code: 0, json: { done: false, commit: null, reverses: commit } });
    expect(repo.git("rev-parse", "HEAD")).toBe(users);
    const undone = await ann("undo", "--yes");
    const head = repo.git("rev-parse", "HEAD");
    expect(undone).toMatchObject({ code: 0, json: { done: true, commit: head, reverses: commit } });
    expect(repo.git("log", "--format=%P", "-1")).toBe(users);
    expect(repo.git("diff", "--name-status", users, head).split("\n")).toEqual(["M\tf.txt", "D\tnew.md"]);
    expect(repo.git("status", "--porcelain").split("\n"), "uncommitted again, nothing staged").toEqual([
      " M f.txt",
      "?? new.md",
    ]);
    expect([repo.read("f.txt"), repo.read("new.md"), repo.read("other.txt")]).toEqual([
      "one\ntwo\n",
      "A note.\n",
      "the user's\n",
    ]);
  });

  it("is done again by redo, forwards too, and undone once more", async () => {
    const { repo, ann } = await committed();
    userCommits(repo, "other.txt", "the user's\n");
    expect((await ann("undo", "--yes")).code).toBe(0);
    const reversed = repo.git("rev-parse", "HEAD");
    expect(await ann("redo", "--yes")).toMatchObject({ code: 0, json: { done: true, reverses: reversed } });
    expect(repo.git("rev-parse", "HEAD^"), "a reversing commit is never taken away").toBe(reversed);
    expect(repo.git("show", "HEAD:f.txt")).toBe("one\ntwo");
    expect(repo.git("status", "--porcelain")).toBe("");
    expect(await ann("undo", "--yes")).toMatchObject({ code: 0, json: { done: true } });
    expect(repo.git("rev-parse", "HEAD"), "nobody else has the redo's own commit").toBe(reversed);
    expect(repo.git("show", "HEAD:f.txt")).toBe("one");
  });

  it("leaves everything untouched when a later commit changed one of its paths (W5)", async () => {
    const { repo, ann } = await committed();
    userCommits(repo, "f.txt", "one\ntwo\nthree\n");
    const at = treeState(repo);
    const undone = await ann("undo", "--yes");
    expect(undone).toMatchObject({
      code: 3,
      json: { done: false, commit: null, conflicts: [{ path: "f.txt" }] },
    });
    expect(treeState(repo)).toEqual(at);
  });
});

describe("undo of a commit that another ref has", () => {
  it("adds a reversing commit and leaves the other ref where it is (W2)", async () => {
    const { repo, ann, commit } = await committed();
    repo.git("tag", "released");
    expect(await ann("undo", "--yes")).toMatchObject({ code: 0, json: { done: true, reverses: commit } });
    expect(repo.git("rev-parse", "HEAD^")).toBe(commit);
    expect(repo.git("rev-parse", "released")).toBe(commit);
    expect(repo.git("diff", "--stat", "HEAD", "HEAD~2")).toBe("");
  });

  it("still takes the branch itself back while nobody else has the commit (W2)", async () => {
    const { repo, ann, before } = await committed();
    expect(await ann("undo", "--yes")).toMatchObject({
      code: 0,
      json: { done: true, commit: null, reverses: null },
    });
    expect(treeState(repo)).toEqual(before);
  });
});

describe("undo of a commit that is not on the branch HEAD is on", () => {
  it("names the branch it was made on, changes nothing, and works there", async () => {
    const { repo, ann, before } = await committed();
    repo.git("checkout", "-q", "-b", "elsewhere", "HEAD~1");
    const here = treeState(repo);
    const refused = await ann("undo", "--yes");
    expect([refused.code, refused.json.code, refused.json.hint]).toEqual([
      1,
      "E_UNDO_ELSEWHERE",
      expect.stringContaining("git switch main"),
    ]);
    expect(treeState(repo)).toEqual(here);
    repo.git("switch", "-q", "main");
    repo.git("branch", "-q", "-D", "elsewhere");
    expect(await ann("undo", "--yes")).toMatchObject({ code: 0 });
    expect(treeState(repo)).toEqual(before);
  });

  it("says that a branch the user rewrote has it no more, though git has dropped it by now, and changes nothing", async () => {
    const { repo, ann } = await committed();
    repo.git("commit", "-q", "--amend", "-m", "the user's own words");
    for (const isDropped of [false, true]) {
      if (isDropped) {
        repo.git("reflog", "expire", "--expire=now", "--all");
        repo.git("gc", "-q", "--prune=now");
      }
      const here = treeState(repo);
      expect(await ann("undo", "--yes")).toMatchObject({ code: 1, json: { code: "E_UNDO_REWRITTEN" } });
      expect(treeState(repo)).toEqual(here);
    }
  });
});
